package server

import (
	"net/http"
	"slices"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server/internal/store"
)

// addDataset adds a dataset with uploaded or sample files to the data library of an account.
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
	form, err := h.uploads.storeForm(x, formLimits{
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
