package server

import (
	"slices"

	"flightdesk/api"
	"flightdesk/api/server/internal/store"
)

// listDatasets answers POST /datalibraryorders with a JSON array, which it sends in parts.
func (h *legacyHandlers) listDatasets(x *exchange) (handlerAnswer, error) {
	var in datasetListBody
	if err := x.readOptional(&in); err != nil {
		return handlerAnswer{}, err
	}
	limit, page := in.chosen()
	list := &bareList{x: x}
	sets, err := h.domain.Records.Datasets(x.r.Context(), x.caller, limit, page)
	if err != nil {
		return list.endList(err)
	}
	for _, set := range sets {
		wire, err := h.datasetRecord(x, set, in.FileDataType)
		if err != nil {
			return list.endList(err)
		}
		if err := list.addRow(wire); err != nil {
			return list.endList(err)
		}
	}
	return list.endList(nil)
}

func (h *legacyHandlers) findDataset(x *exchange) (store.Dataset, error) {
	return h.domain.Records.Dataset(x.r.Context(), x.caller, x.r.PathValue("id"))
}

func (h *legacyHandlers) getDataset(x *exchange, set store.Dataset) (handlerAnswer, error) {
	var in datasetBody
	if err := x.readOptional(&in); err != nil {
		return handlerAnswer{}, err
	}
	wire, err := h.datasetRecord(x, set, in.FileDataType)
	if err != nil {
		return handlerAnswer{}, err
	}
	return bareAnswer(wire)
}

// datasetRecord returns a dataset with links to its files. kinds selects the types of the files. If
// it is empty, the dataset has only the photos.
func (h *legacyHandlers) datasetRecord(x *exchange, set store.Dataset, kinds []api.Deliverable) (api.Dataset, error) {
	files, err := h.domain.Records.DatasetFiles(x.r.Context(), set)
	if err != nil {
		return api.Dataset{}, err
	}
	view := x.shownFilesOf(kinds)
	if view.kinds == nil {
		files = slices.DeleteFunc(files, func(f store.File) bool { return f.Kind != api.DeliverableJPG })
	}
	wire := wireDataset(set)
	wire.DeliveryFiles = h.filesByKind(x, files, view)
	return wire, nil
}

func wireDataset(set store.Dataset) api.Dataset {
	return api.Dataset{
		ID:            set.UUID,
		DatasetName:   set.Name,
		Categories:    set.Categories,
		Description:   set.Description,
		SDGGoals:      set.SDGGoals,
		LocationLabel: set.LocationLabel,
		LocationMap:   set.LocationMap,
		DateCompleted: api.ParseDate(set.DateCompleted),
	}
}
