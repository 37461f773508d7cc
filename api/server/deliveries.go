package server

import (
	"strconv"
	"time"

	"flightdesk/api"
	"flightdesk/api/server/internal/store"
)

// findMission returns the mission in the path of a request. It must belong to the caller,
// or to any account in the operations API.
func (b *handlerBase) findMission(x *exchange) (store.Mission, error) {
	_, m, err := b.domain.Missions.Find(x.r.Context(), x.caller, x.uuid())
	return m, err
}

func (h *publicHandlers) listPlanning(x *exchange, m store.Mission) (handlerAnswer, error) {
	list := shownList{"planning/" + strconv.FormatInt(m.ID, 10), 0, "planning of " + m.Code + ", newest first"}
	return answerList(h.handlerBase, x, list, m.ID, wirePlanning)
}

func wirePlanning(p store.Planning) api.PlanningEntry {
	return api.PlanningEntry{
		Version:          p.Version,
		SchedulingStatus: p.Status,
		FlightDate:       timeInZone(p.FlightDate, p.FlightZone),
		ScheduledBy:      p.ScheduledBy,
		Note:             p.Note,
		CreatedAt:        api.TimeOf(p.Created),
	}
}

// timeInZone returns a time with the UTC offset that the client sent, in seconds.
func timeInZone(t time.Time, offset int) api.Time {
	if offset == 0 || t.IsZero() {
		return api.TimeOf(t)
	}
	return api.TimeOf(t.In(time.FixedZone("", offset)))
}

func (h *publicHandlers) getPermission(x *exchange, m store.Mission) (handlerAnswer, error) {
	p, permit, err := h.domain.Missions.Permission(x.r.Context(), m)
	return answerWith("flight permission of "+m.Code, h.wirePermission(x, m, p, permit), err)
}

func (b *handlerBase) wirePermission(
	x *exchange, m store.Mission, p store.Permission, permit *store.File,
) api.FlightPermission {
	wire := api.FlightPermission{
		MissionUID: m.UUID,
		Status:     p.Status,
		Authority:  p.Authority,
		Reference:  p.Reference,
		ValidFrom:  timeInZone(p.ValidFrom, p.FromZone),
		ValidTo:    timeInZone(p.ValidTo, p.ToZone),
		UpdatedAt:  api.TimeOf(p.Updated),
	}
	if permit != nil {
		link := b.linkTo(x, *permit)
		wire.PermitFileURL = &link
	}
	return wire
}

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

// linkTo returns a signed URL of a file. It is valid for linkLife.
func (b *handlerBase) linkTo(x *exchange, f store.File) string {
	return b.origin(x.r) + b.links.linkPath(f.ID, f.Name, b.now().Add(linkLife))
}

// linkLife is how long a link is valid, by the clock of the service.
const linkLife = 24 * time.Hour
