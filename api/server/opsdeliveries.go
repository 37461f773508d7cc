package server

import (
	"net/http"

	"flightdesk/api"
	"flightdesk/api/server/internal/store"
)

// deliverFiles delivers uploaded or sample files to a mission.
func (h *operationsHandlers) deliverFiles(x *exchange) (handlerAnswer, error) {
	o, m, err := h.domain.Missions.Find(x.r.Context(), nil, x.uuid())
	if err != nil {
		return handlerAnswer{}, err
	}
	files, err := h.storeDelivery(x, o, m)
	if err != nil {
		return handlerAnswer{}, err
	}
	m, p, err := h.domain.Missions.Deliver(x.r.Context(), m.UUID, files)
	if err != nil {
		h.uploads.discardFiles(x, &uploadForm{files: files})
		return handlerAnswer{}, err
	}
	return handlerAnswer{
		status:  http.StatusCreated,
		message: counted(p.FileCount, "file") + " of " + m.Code + " delivered",
		data:    wirePackage(m, p),
	}, nil
}

// storeDelivery stores the files of a delivery, either uploaded or sample files, and
// returns their records.
func (h *operationsHandlers) storeDelivery(x *exchange, o store.Order, m store.Mission) ([]store.File, error) {
	if !x.isForm() {
		return h.generateDelivery(x, o, m)
	}
	form, err := h.uploads.storeForm(x, formLimits{
		part:   "files",
		files:  maxPackageFiles,
		fields: []string{"fileDataType"},
	})
	if err != nil {
		return nil, err
	}
	faults := form.assignKinds(append(api.Deliverables(), api.DeliverableElevationMap))
	if len(faults) > 0 {
		h.uploads.discardFiles(x, form)
		return nil, invalidRequest(faults, len(faults))
	}
	return form.files, nil
}

func (h *operationsHandlers) acceptDelivery(x *exchange, m store.Mission, _ *noBody) (handlerAnswer, error) {
	o, m, err := h.domain.Missions.AcceptDelivery(x.r.Context(), m.UUID)
	return answerWith(m.Code+" is completed", wireMission(o, m), err)
}
