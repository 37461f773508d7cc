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

// readMembers converts the fields of a form to a JSON object. A field in single becomes a
// member with one value, a field in lists becomes a list of all its values. Missing fields,
// and empty fields in single, are left out.
func (f *uploadForm) readMembers(single, lists []string) ([]byte, []api.FieldError) {
	members := map[string]jsontext.Value{}
	var faults []api.FieldError
	addMember := func(name string, member jsontext.Value, fault string) {
		if fault != "" {
			faults = append(faults, api.FieldError{Field: name, Message: fault})
		} else if member != nil {
			members[name] = member
		}
	}
	for _, name := range single {
		member, fault := singleMember(name, f.fields[name])
		addMember(name, member, fault)
	}
	for _, name := range lists {
		member, fault := listMember(f.fields[name])
		addMember(name, member, fault)
	}
	body, err := json.Marshal(members)
	if err != nil {
		body = []byte("{}") // cannot happen: each member is valid JSON
	}
	return body, faults
}

// notUTF8 is the message of a validation error.
const notUTF8 = "is not in UTF-8"

// singleMember returns the JSON of a field that may be given once, or nil if the field is
// missing or empty. The value of locationMap already is JSON. fault says what is wrong with
// the field, or is "".
func singleMember(name string, values []string) (member jsontext.Value, fault string) {
	if len(values) > 1 {
		return nil, "is given more than once"
	}
	if len(values) == 0 || values[0] == "" {
		return nil, ""
	}
	if name == "locationMap" {
		member = jsontext.Value(values[0])
		if !member.IsValid() {
			return nil, "is not valid JSON"
		}
		return member, ""
	}
	member, err := json.Marshal(values[0])
	if err != nil {
		return nil, notUTF8
	}
	return member, ""
}

// listMember returns the JSON of a field that may be given several times, or nil if it is
// missing. fault says what is wrong with the field, or is "".
func listMember(values []string) (member jsontext.Value, fault string) {
	if len(values) == 0 {
		return nil, ""
	}
	member, err := json.Marshal(values)
	if err != nil {
		return nil, notUTF8
	}
	return member, ""
}
