package server

import (
	"net/http"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server/internal/store"
)

func (h *operationsHandlers) addDataset(x *exchange, account store.Account) (handlerAnswer, error) {
	set, files, err := h.datasetUpload(x)
	if err != nil {
		return handlerAnswer{}, err
	}
	set, err = h.domain.Records.AddDataset(x.r.Context(), account, set, files)
	if err != nil {
		h.uploads.discardFiles(x, &uploadForm{files: files})
		return handlerAnswer{}, err
	}
	wire := ops.Dataset{Dataset: wireDataset(set), UUID: set.UUID}
	wire.DeliveryFiles = h.filesByKind(x, files, shownFiles{allowed: true})
	return handlerAnswer{
		status:  http.StatusCreated,
		message: "dataset of " + counted(len(files), "file") + " added",
		data:    wire,
	}, nil
}

// datasetUpload reads the form of a new dataset and stores its files.
func (h *operationsHandlers) datasetUpload(x *exchange) (store.Dataset, []store.File, error) {
	if !x.isForm() {
		return h.generateDataset(x)
	}
	single := []string{"datasetName", "description", "locationLabel", "dateCompleted", "locationMap"}
	lists := []string{"categories", "sdgGoals"}
	fields := append(append([]string{"fileDataType"}, single...), lists...)
	form, err := h.uploads.readForm(x, formLimits{
		part:   "files",
		files:  maxPackageFiles,
		fields: fields,
	})
	if err != nil {
		return store.Dataset{}, nil, err
	}
	faults := form.assignKinds(append(api.DeliveryProducts(), api.DeliverableJPG))
	body, more := form.readMembers(single, lists)
	var in ops.DatasetInput
	if err := readJSON(body, x.now(), append(faults, more...), &in); err != nil {
		h.uploads.discardFiles(x, form)
		return store.Dataset{}, nil, err
	}
	return newDataset(in), form.files, nil
}

// newDataset returns a dataset without files.
func newDataset(in ops.DatasetInput) store.Dataset {
	set := store.Dataset{
		Name: in.DatasetName, Categories: append([]string{}, in.Categories...), Description: in.Description,
		SDGGoals: append([]string{}, in.SDGGoals...), LocationLabel: in.LocationLabel,
		LocationMap: append([]api.Point{}, in.LocationMap...),
	}
	if !in.DateCompleted.IsZero() {
		set.DateCompleted = in.DateCompleted.Format(time.DateOnly)
	}
	return set
}

// readMembers converts the fields of a form to a JSON object. Fields in single may be
// given once, fields in lists several times. The value of locationMap is JSON. An empty
// field counts as missing.
func (f *uploadForm) readMembers(single, lists []string) (body []byte, faults []api.FieldError) {
	members := map[string]jsontext.Value{}
	put := func(name string, v any) {
		text, err := json.Marshal(v)
		if err != nil {
			faults = append(faults, api.FieldError{Field: name, Message: "is not in UTF-8"})
			return
		}
		members[name] = text
	}
	for _, name := range single {
		switch values := f.fields[name]; {
		case len(values) > 1:
			faults = append(faults, api.FieldError{Field: name, Message: "is given more than once"})
		case len(values) == 0 || values[0] == "":
		case name == "locationMap":
			if v := jsontext.Value(values[0]); v.IsValid() {
				members[name] = v
			} else {
				faults = append(faults, api.FieldError{Field: name, Message: "is not valid JSON"})
			}
		default:
			put(name, values[0])
		}
	}
	for _, name := range lists {
		if values := f.fields[name]; len(values) > 0 {
			put(name, values)
		}
	}
	body, err := json.Marshal(members)
	if err != nil {
		body = []byte("{}") // each member is valid by itself; an error names the cause
	}
	return body, faults
}
