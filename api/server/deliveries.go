package server

import (
	"strconv"

	"flightdesk/api"
	"flightdesk/api/server/internal/store"
)

func (h *publicHandlers) listPackages(x *exchange, m store.Mission) (handlerAnswer, error) {
	list := shownList{
		"packages/" + strconv.FormatInt(m.ID, 10),
		0,
		"delivery packages of " + m.Code + ", newest first",
	}
	wire := func(p store.Package) api.DeliveryPackage { return wirePackage(m, p) }
	return answerList(h.handlerBase, x, list, m.ID, wire)
}

func wirePackage(m store.Mission, p store.Package) api.DeliveryPackage {
	return api.DeliveryPackage{
		UUID: p.UUID, MissionUID: m.UUID, Name: p.Name, Version: p.Version, Status: p.Status,
		FileCount: p.FileCount, TotalSize: p.TotalSize, CreatedAt: api.TimeOf(p.Created),
	}
}

func (h *publicHandlers) findPackage(x *exchange) (store.Package, error) {
	return h.domain.Missions.Package(x.r.Context(), x.caller, x.uuid())
}

func (h *publicHandlers) listFiles(x *exchange, p store.Package) (handlerAnswer, error) {
	list := shownList{"files/" + strconv.FormatInt(p.ID, 10), 0, "files of " + p.Name}
	wire := func(f store.File) api.DeliveryFile {
		return api.DeliveryFile{
			UUID: f.UUID, FileName: f.Name, FileType: f.MediaType, FileDataType: f.Kind, FileSize: f.Size,
			Status: p.Status, DownloadURL: h.linkTo(x, f),
		}
	}
	return answerList(h.handlerBase, x, list, p.ID, wire)
}
