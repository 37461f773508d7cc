package server

import (
	"mime"
	"net/http"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server/internal/demodata"
	"flightdesk/api/server/internal/demodata/product"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

// isForm reports whether a request has a form's fields and files. What has
// neither form nor JSON is left to the reader of forms to refuse.
func (x *exchange) isForm() bool {
	sent := x.r.Header.Get("Content-Type")
	kind, _, _ := mime.ParseMediaType(sent)
	return sent != "" && kind != "application/json"
}

// generateBody is the body that asks for sample files.
type generateBody struct {
	Generate confirmation `json:"generate" check:"required"`
}

// generateDelivery delivers sample files of all that the order lists.
func (h *operationsHandlers) generateDelivery(x *exchange, o store.Order, m store.Mission) ([]store.File, error) {
	if err := x.readInto(&generateBody{}); err != nil {
		return nil, err
	}
	if err := domain.CheckDeliverable(o, m); err != nil {
		return nil, err
	}
	return h.uploads.generateFiles(x, demodata.SurveyOf(o, m))
}

// generateFiles makes and keeps sample files, which may take as long as reading
// them would.
func (u fileUploads) generateFiles(x *exchange, m product.Mission) ([]store.File, error) {
	x.endWithClient()
	_ = http.NewResponseController(x.w).
		SetWriteDeadline(time.Now().Add(deliveryTimeout + answerTimeout))
		// not every transport has deadlines
	return demodata.MakeFiles(x.r.Context(), u.domain, m, u.size)
}

// datasetKinds are those of a generated dataset.
var datasetKinds = []api.Deliverable{api.DeliverableJPG, "_2dMap", "digitalSurfaceModel"}

// generatedDataset is the body that asks for a dataset of sample files.
type generatedDataset struct {
	ops.DatasetInput
	generateBody
}

func (b *generatedDataset) checkMembers(r *bodyReader) {
	if len(b.LocationMap) == 0 {
		r.faultAt("locationMap", "must have at least one point to generate files")
	}
}

// generateDataset reads a dataset, and makes sample files of its place.
func (h *operationsHandlers) generateDataset(x *exchange) (set store.Dataset, files []store.File, err error) {
	var in generatedDataset
	err = x.readInto(&in)
	set = newDataset(in.DatasetInput)
	if err != nil {
		return set, nil, err
	}
	place := product.Mission{Location: set.LocationMap, Deliverables: datasetKinds}
	files, err = h.uploads.generateFiles(x, place)
	return set, files, err
}
