package server

import (
	"net/http"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server/internal/demodata"
	"flightdesk/api/server/internal/demodata/product"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

// generateBody is the request body that asks the service to generate sample files instead of
// reading an upload. Generate must be true.
type generateBody struct {
	Generate confirmation `json:"generate" check:"required"`
}

// generateDelivery stores sample files of all deliverables of the order.
func (h *operationsHandlers) generateDelivery(x *exchange, o store.Order, m store.Mission) ([]store.File, error) {
	if err := x.readInto(&generateBody{}); err != nil {
		return nil, err
	}
	if err := domain.CheckDeliveryAllowed(o, m); err != nil {
		return nil, err
	}
	return h.uploads.generateFiles(x, demodata.SurveyOf(o, m))
}

// generateFiles generates and stores sample files. It extends the write deadline, because
// generating may take as long as reading an upload.
func (u fileUploads) generateFiles(x *exchange, m product.Mission) ([]store.File, error) {
	x.endWithClient()
	deadline := time.Now().Add(deliveryTimeout + answerTimeout)
	_ = http.NewResponseController(x.w).SetWriteDeadline(deadline) // some transports do not support deadlines
	return demodata.MakeFiles(x.r.Context(), u.domain, m, u.size)
}

// datasetKinds are the types of the files of a generated dataset.
var datasetKinds = []api.Deliverable{api.DeliverableJPG, "_2dMap", "digitalSurfaceModel"}

// generatedDataset is the request body that adds a dataset with generated sample files.
type generatedDataset struct {
	ops.DatasetInput
	generateBody
}

func (b *generatedDataset) checkMembers(r *bodyReader) {
	if len(b.LocationMap) == 0 {
		r.faultAt("locationMap", "must have at least one point to generate files")
	}
}

// generateDataset reads the description of a dataset from the JSON body, and generates sample
// files for its location.
func (h *operationsHandlers) generateDataset(x *exchange) (store.Dataset, []store.File, error) {
	var in generatedDataset
	if err := x.readInto(&in); err != nil {
		return store.Dataset{}, nil, err
	}
	set := newDataset(in.DatasetInput)
	mission := product.Mission{Location: set.LocationMap, Deliverables: datasetKinds}
	files, err := h.uploads.generateFiles(x, mission)
	return set, files, err
}
