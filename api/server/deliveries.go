package server

import (
	"strconv"
	"time"

	"flightdesk/api"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

func (h *public) listPlanning(x *exchange) (answer, error) {
	_, m, err := h.domain.Missions.Find(x.r.Context(), x.caller, x.r.PathValue("uuid"))
	if err != nil {
		return answer{}, err
	}
	list := "planning/" + strconv.FormatInt(m.ID, 10)
	read := func(w store.Window) (domain.Page[store.Planning], error) {
		return h.domain.Missions.Planning(x.r.Context(), m, w)
	}
	return answerList(h.base, x, list, 0, "planning of "+m.Code+", newest first", read, wirePlanning)
}

func wirePlanning(p store.Planning) api.PlanningEntry {
	return api.PlanningEntry{
		Version: p.Version, SchedulingStatus: p.Status, FlightDate: api.At(p.FlightDate), ScheduledBy: p.ScheduledBy,
		Note: p.Note, CreatedAt: api.At(p.Created),
	}
}

func (h *public) getPermission(x *exchange) (answer, error) {
	_, m, err := h.domain.Missions.Find(x.r.Context(), x.caller, x.r.PathValue("uuid"))
	if err != nil {
		return answer{}, err
	}
	p, permit, err := h.domain.Missions.Permission(x.r.Context(), m)
	if err != nil {
		return answer{}, err
	}
	return answer{message: "flight permission of " + m.Code, data: h.wirePermission(x, m, p, permit)}, nil
}

func (b *base) wirePermission(x *exchange, m store.Mission, p store.Permission, permit *store.File) api.FlightPermission {
	wire := api.FlightPermission{
		MissionUID: m.UUID, Status: p.Status, Authority: p.Authority, Reference: p.Reference,
		ValidFrom: api.At(p.ValidFrom), ValidTo: api.At(p.ValidTo), UpdatedAt: api.At(p.Updated),
	}
	if permit != nil {
		link := b.link(x, *permit)
		wire.PermitFileURL = &link
	}
	return wire
}

func (h *public) listPackages(x *exchange) (answer, error) {
	_, m, err := h.domain.Missions.Find(x.r.Context(), x.caller, x.r.PathValue("uuid"))
	if err != nil {
		return answer{}, err
	}
	list := "packages/" + strconv.FormatInt(m.ID, 10)
	wire := func(p store.Package) api.DeliveryPackage { return wirePackage(m, p) }
	read := func(w store.Window) (domain.Page[store.Package], error) {
		return h.domain.Missions.Packages(x.r.Context(), m, w)
	}
	return answerList(h.base, x, list, 0, "delivery packages of "+m.Code+", newest first", read, wire)
}

func wirePackage(m store.Mission, p store.Package) api.DeliveryPackage {
	return api.DeliveryPackage{
		UUID: p.UUID, MissionUID: m.UUID, Name: p.Name, Version: p.Version, Status: p.Status,
		FileCount: p.FileCount, TotalSize: p.TotalSize, CreatedAt: api.At(p.Created),
	}
}

func (h *public) listFiles(x *exchange) (answer, error) {
	p, err := h.domain.Missions.Package(x.r.Context(), x.caller, x.r.PathValue("uuid"))
	if err != nil {
		return answer{}, err
	}
	list := "files/" + strconv.FormatInt(p.ID, 10)
	w, err := h.window(x, list, 0)
	if err != nil {
		return answer{}, err
	}
	page, err := h.domain.Missions.PackageFiles(x.r.Context(), p, w)
	if err != nil {
		return answer{}, err
	}
	wire := func(f store.File) api.DeliveryFile {
		return api.DeliveryFile{
			UUID: f.UUID, FileName: f.Name, FileType: f.MediaType, FileDataType: f.Kind, FileSize: f.Size,
			Status: p.Status, DownloadURL: h.link(x, f),
		}
	}
	return answer{message: "files of " + p.Name, data: wirePage(h.base, x, list, page, wire)}, nil
}

// link returns a signed address of a file, valid from now on.
func (b *base) link(x *exchange, f store.File) string {
	return b.origin(x.r) + b.links.path(f.ID, f.Name, b.now().Add(linkLife))
}

// linkLife is how long a link is good for, by the service's clock.
const linkLife = 24 * time.Hour
