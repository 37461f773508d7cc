package server

import (
	"net/http"
	"strconv"
	"time"

	"flightdesk/api"
	"flightdesk/api/server/domain"
	"flightdesk/api/server/store"
)

// deliveryReads are the operations that show how missions go on and what came
// of them.
func (s *Server) deliveryReads() []route {
	const mission = PublicPath + "/missions/{uuid}"
	return []route{
		{http.MethodGet, mission + "/planning", api.ScopeOrdersRead, s.listPlanning},
		{http.MethodGet, mission + "/flight-permission", api.ScopeOrdersRead, s.getPermission},
		{http.MethodGet, mission + "/delivery-packages", api.ScopeFilesRead, s.listPackages},
		{http.MethodGet, PublicPath + "/delivery-packages/{uuid}/files", api.ScopeFilesRead, s.listFiles},
		{http.MethodGet, filesPath + "{token}/{name}", "", s.download},
	}
}

func (s *Server) listPlanning(x *exchange) (answer, error) {
	_, m, err := s.desk.Mission(x.r.Context(), x.caller, x.r.PathValue("uuid"))
	if err != nil {
		return answer{}, err
	}
	list := "planning/" + strconv.FormatInt(m.ID, 10)
	read := func(w store.Window) (domain.Page[store.Planning], error) { return s.desk.Planning(x.r.Context(), m, w) }
	return answerList(s, x, list, 0, "planning of "+m.Code+", newest first", read, wirePlanning)
}

func wirePlanning(p store.Planning) api.PlanningEntry {
	return api.PlanningEntry{
		Version: p.Version, SchedulingStatus: p.Status, FlightDate: api.At(p.FlightDate), ScheduledBy: p.ScheduledBy,
		Note: p.Note, CreatedAt: api.At(p.Created),
	}
}

func (s *Server) getPermission(x *exchange) (answer, error) {
	_, m, err := s.desk.Mission(x.r.Context(), x.caller, x.r.PathValue("uuid"))
	if err != nil {
		return answer{}, err
	}
	p, permit, err := s.desk.Permission(x.r.Context(), m)
	if err != nil {
		return answer{}, err
	}
	return answer{message: "flight permission of " + m.Code, data: s.wirePermission(m, p, permit)}, nil
}

func (s *Server) wirePermission(m store.Mission, p store.Permission, permit *store.File) api.FlightPermission {
	wire := api.FlightPermission{
		MissionUID: m.UUID, Status: p.Status, Authority: p.Authority, Reference: p.Reference,
		ValidFrom: api.At(p.ValidFrom), ValidTo: api.At(p.ValidTo), UpdatedAt: api.At(p.Updated),
	}
	if permit != nil {
		link := s.link(*permit)
		wire.PermitFileURL = &link
	}
	return wire
}

func (s *Server) listPackages(x *exchange) (answer, error) {
	_, m, err := s.desk.Mission(x.r.Context(), x.caller, x.r.PathValue("uuid"))
	if err != nil {
		return answer{}, err
	}
	list := "packages/" + strconv.FormatInt(m.ID, 10)
	wire := func(p store.Package) api.DeliveryPackage { return wirePackage(m, p) }
	read := func(w store.Window) (domain.Page[store.Package], error) { return s.desk.Packages(x.r.Context(), m, w) }
	return answerList(s, x, list, 0, "delivery packages of "+m.Code+", newest first", read, wire)
}

func wirePackage(m store.Mission, p store.Package) api.DeliveryPackage {
	return api.DeliveryPackage{
		UUID: p.UUID, MissionUID: m.UUID, Name: p.Name, Version: p.Version, Status: p.Status,
		FileCount: p.FileCount, TotalSize: p.TotalSize, CreatedAt: api.At(p.Created),
	}
}

func (s *Server) listFiles(x *exchange) (answer, error) {
	p, err := s.desk.Package(x.r.Context(), x.caller, x.r.PathValue("uuid"))
	if err != nil {
		return answer{}, err
	}
	list := "files/" + strconv.FormatInt(p.ID, 10)
	w, err := s.window(x, list, 0)
	if err != nil {
		return answer{}, err
	}
	page, err := s.desk.PackageFiles(x.r.Context(), p, w)
	if err != nil {
		return answer{}, err
	}
	wire := func(f store.File) api.DeliveryFile {
		return api.DeliveryFile{
			UUID: f.UUID, FileName: f.Name, FileType: f.MediaType, FileDataType: f.Kind, FileSize: f.Size,
			Status: p.Status, DownloadURL: s.link(f),
		}
	}
	return answer{message: "files of " + p.Name, data: wirePage(s, x, list, page, wire)}, nil
}

// link returns a signed address of a file, valid from now on.
func (s *Server) link(f store.File) string {
	return s.origin() + s.links.path(f.ID, f.Name, s.Now().Add(linkLife))
}

// linkLife is how long a link is good for, by the service's clock.
const linkLife = 24 * time.Hour
