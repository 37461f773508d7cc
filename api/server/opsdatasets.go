package server

import (
	"net/http"
	"regexp"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"flightdesk/api"
	"flightdesk/api/server/internal/store"
)

// maxCategories is how many values each of a dataset's lists may have.
const maxCategories = 50

func (h *operationsHandlers) addDataset(x *exchange) (handlerAnswer, error) {
	account, err := h.domain.Accounts.Find(x.r.Context(), x.r.PathValue("uuid"))
	if err != nil {
		return handlerAnswer{}, err
	}
	set, files, err := h.datasetUpload(x)
	if err != nil {
		return handlerAnswer{}, err
	}
	if set, err = h.domain.Records.AddDataset(x.r.Context(), account, set, files); err != nil {
		h.uploads.discardFiles(x, &uploadForm{files: files})
		return handlerAnswer{}, err
	}
	wire := api.OpsDataset{Dataset: wireDataset(set), UUID: set.UUID}
	wire.DeliveryFiles = h.filesByKind(x, files, shownFiles{allowed: true})
	return handlerAnswer{status: http.StatusCreated, message: "dataset of " + counted(len(files), "file") + " added", data: wire}, nil
}

// datasetUpload reads a dataset and keeps its files.
func (h *operationsHandlers) datasetUpload(x *exchange) (store.Dataset, []store.File, error) {
	if !x.isForm() {
		return h.generateDataset(x)
	}
	single := []string{"datasetName", "description", "locationLabel", "dateCompleted", "locationMap"}
	lists := []string{"categories", "sdgGoals"}
	fields := append(append([]string{"fileDataType"}, single...), lists...)
	form, err := h.uploads.readForm(x, formLimits{part: "files", files: maxPackageFiles, fields: fields})
	if err != nil {
		return store.Dataset{}, nil, err
	}
	faults := form.assignKinds(append(api.DeliveryProducts(), api.DeliverableJPG))
	body, more := form.readMembers(single, lists)
	set, err := readDataset(body, append(faults, more...))
	if err != nil {
		h.uploads.discardFiles(x, form)
		return store.Dataset{}, nil, err
	}
	return set, form.files, nil
}

// readMembers writes a form's fields as an object: those that are there once, with
// locationMap in JSON, and those that may be there more often. A field that is
// empty counts as missing.
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
		body = []byte("{}") // each member is valid by itself; a fault says what is not
	}
	return body, faults
}

// readDataset reads a dataset without its files.
func readDataset(body []byte, faults []api.FieldError) (set store.Dataset, err error) {
	set.Categories, set.SDGGoals, set.LocationMap = []string{}, []string{}, []api.Point{}
	err = readJSON(body, faults, func(r *bodyReader) error {
		required, optional := r.datasetMembers(&set)
		return r.objectWith(required, optional)
	})
	return set, err
}

// datasetMembers returns the members of a dataset.
func (r *bodyReader) datasetMembers(set *store.Dataset) (required, optional []bodyMember) {
	return []bodyMember{{"datasetName", func() error { return r.readName(&set.Name) }}},
		[]bodyMember{
			{"categories", func() error { return r.readNames(&set.Categories) }},
			{"description", func() error { return r.readRemark(&set.Description) }},
			{"sdgGoals", func() error { return r.readNames(&set.SDGGoals) }},
			{"locationLabel", func() error { return r.readPlain(api.MaxNameLength, &set.LocationLabel) }},
			{"locationMap", func() error {
				_, err := r.readPoints(&set.LocationMap)
				return err
			}},
			{"dateCompleted", func() error { return r.readDay(&set.DateCompleted) }},
		}
}

// readNames reads a list of up to [maxCategories] names.
func (r *bodyReader) readNames(into *[]string) error {
	n, err := r.readList(maxCategories, func() error {
		var one string
		err := r.readName(&one)
		*into = append(*into, one)
		return err
	})
	if n > maxCategories {
		r.noteFault("has %d values; the limit is %d", n, maxCategories)
	}
	return err
}

var dateOnly = regexp.MustCompile(`^\d{4}-\d\d-\d\d$`)

// readDay reads a date without a time.
func (r *bodyReader) readDay(into *string) error {
	s, ok, err := r.readQuoted()
	if !ok {
		return err
	}
	if d := api.DateText(s); d.Time.IsZero() || !dateOnly.MatchString(s) {
		r.noteFault("%q is not a date like 2026-05-01", cutText(s, 60))
		return nil
	}
	*into = s
	return nil
}
