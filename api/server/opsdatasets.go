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

func (h *operations) addDataset(x *exchange) (answer, error) {
	account, err := h.domain.Accounts.Find(x.r.Context(), x.r.PathValue("uuid"))
	if err != nil {
		return answer{}, err
	}
	set, files, err := h.datasetUpload(x)
	if err != nil {
		return answer{}, err
	}
	if set, err = h.domain.Records.AddDataset(x.r.Context(), account, set, files); err != nil {
		h.uploads.discard(x, &form{files: files})
		return answer{}, err
	}
	wire := api.OpsDataset{Dataset: wireDataset(set), UUID: set.UUID}
	wire.DeliveryFiles = h.filesByKind(x, files, shown{allowed: true})
	return answer{status: http.StatusCreated, message: "dataset of " + counted(len(files), "file") + " added", data: wire}, nil
}

// datasetUpload reads a dataset and keeps its files.
func (h *operations) datasetUpload(x *exchange) (store.Dataset, []store.File, error) {
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
	faults := form.kinds(append(api.DeliveryProducts(), api.DeliverableJPG))
	body, more := form.members(single, lists)
	set, err := readDataset(body, append(faults, more...))
	if err != nil {
		h.uploads.discard(x, form)
		return store.Dataset{}, nil, err
	}
	return set, form.files, nil
}

// members writes a form's fields as an object: those that are there once, with
// locationMap in JSON, and those that may be there more often. A field that is
// empty counts as missing.
func (f *form) members(single, lists []string) (body []byte, faults []api.FieldError) {
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
	err = readJSON(body, faults, func(r *reader) error {
		required, optional := r.dataset(&set)
		return r.objectWith(required, optional)
	})
	return set, err
}

// dataset are the members of a dataset.
func (r *reader) dataset(set *store.Dataset) (required, optional []member) {
	return []member{{"datasetName", func() error { return r.name(&set.Name) }}},
		[]member{
			{"categories", func() error { return r.names(&set.Categories) }},
			{"description", func() error { return r.remark(&set.Description) }},
			{"sdgGoals", func() error { return r.names(&set.SDGGoals) }},
			{"locationLabel", func() error { return r.plain(api.MaxNameLength, &set.LocationLabel) }},
			{"locationMap", func() error {
				_, err := r.points(&set.LocationMap)
				return err
			}},
			{"dateCompleted", func() error { return r.day(&set.DateCompleted) }},
		}
}

// names reads a list of up to [maxCategories] names.
func (r *reader) names(into *[]string) error {
	n, err := r.list(maxCategories, func() error {
		var one string
		err := r.name(&one)
		*into = append(*into, one)
		return err
	})
	if n > maxCategories {
		r.fault("has %d values; the limit is %d", n, maxCategories)
	}
	return err
}

var dateOnly = regexp.MustCompile(`^\d{4}-\d\d-\d\d$`)

// day reads a date without a time.
func (r *reader) day(into *string) error {
	s, ok, err := r.quoted()
	if !ok {
		return err
	}
	if d := api.DateText(s); d.Time.IsZero() || !dateOnly.MatchString(s) {
		r.fault("%q is not a date like 2026-05-01", cut(s, 60))
		return nil
	}
	*into = s
	return nil
}
