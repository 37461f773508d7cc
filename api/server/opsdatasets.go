package server

import (
	"net/http"
	"slices"
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
	form, err := h.uploads.readForm(x, formLimits{
		part:   "files",
		files:  maxPackageFiles,
		fields: slices.Concat([]string{"fileDataType"}, single, lists),
	})
	if err != nil {
		return store.Dataset{}, nil, err
	}
	faults := form.assignKinds(append(api.DeliveryProducts(), api.DeliverableJPG))
	body, memberFaults := form.readMembers(single, lists)
	faults = append(faults, memberFaults...)
	var in ops.DatasetInput
	if err := readJSON(body, x.now(), faults, &in); err != nil {
		h.uploads.discardFiles(x, form)
		return store.Dataset{}, nil, err
	}
	return newDataset(in), form.files, nil
}

// newDataset returns a dataset without files.
func newDataset(in ops.DatasetInput) store.Dataset {
	set := store.Dataset{
		Name:          in.DatasetName,
		Categories:    append([]string{}, in.Categories...),
		Description:   in.Description,
		SDGGoals:      append([]string{}, in.SDGGoals...),
		LocationLabel: in.LocationLabel,
		LocationMap:   append([]api.Point{}, in.LocationMap...),
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
	for _, name := range single {
		values := f.fields[name]
		if len(values) > 1 {
			faults = append(faults, api.FieldError{Field: name, Message: "is given more than once"})
			continue
		}
		if len(values) == 0 || values[0] == "" {
			continue
		}
		member, fault := singleMember(name, values[0])
		if fault != "" {
			faults = append(faults, api.FieldError{Field: name, Message: fault})
			continue
		}
		members[name] = member
	}
	for _, name := range lists {
		values := f.fields[name]
		if len(values) == 0 {
			continue
		}
		member, err := json.Marshal(values)
		if err != nil {
			faults = append(faults, api.FieldError{Field: name, Message: notUTF8})
			continue
		}
		members[name] = member
	}
	body, err := json.Marshal(members)
	if err != nil {
		body = []byte("{}") // cannot happen: each member is valid JSON
	}
	return body, faults
}

// notUTF8 is the message of a validation error.
const notUTF8 = "is not in UTF-8"

// singleMember returns the JSON of a field that may be given once. fault says what is wrong
// with the field, or is "".
func singleMember(name, value string) (member jsontext.Value, fault string) {
	if name == "locationMap" {
		member = jsontext.Value(value)
		if !member.IsValid() {
			return nil, "is not valid JSON"
		}
		return member, ""
	}
	member, err := json.Marshal(value)
	if err != nil {
		return nil, notUTF8
	}
	return member, ""
}
