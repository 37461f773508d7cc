package server

import (
	"mime"

	"flightdesk/api/ops"
	"flightdesk/api/server/internal/store"
)

// operatorBody is the request body that assigns a drone operator.
type operatorBody struct {
	OperatorName string `json:"operatorName" check:"required,name"`
}

func (h *operationsHandlers) assignOperator(x *exchange, m store.Mission, in *operatorBody) (handlerAnswer, error) {
	o, m, err := h.domain.Missions.AssignOperator(x.r.Context(), m.UUID, in.OperatorName)
	return answerWith(in.OperatorName+" assigned to "+m.Code, wireMission(o, m), err)
}

func (h *operationsHandlers) scheduleFlight(
	x *exchange, m store.Mission, in *ops.FlightInput,
) (handlerAnswer, error) {
	o, m, err := h.domain.Missions.Schedule(x.r.Context(), m.UUID, *in)
	return answerWith(m.Code+" is scheduled", wireMission(o, m), err)
}

// permissionBody is the request body that records a flight permission.
type permissionBody struct{ ops.PermissionInput }

func (b *permissionBody) checkMembers(r *bodyReader) {
	r.checkPeriod(b.ValidFrom, b.ValidTo, "validTo", "validFrom")
}

// recordPermission sets the flight permission of a mission. The body can have the document as an uploaded file.
func (h *operationsHandlers) recordPermission(x *exchange, m store.Mission) (handlerAnswer, error) {
	in, form, err := h.readPermission(x)
	if err != nil {
		return handlerAnswer{}, err
	}
	var permit *store.File
	if len(form.files) == 1 {
		permit = &form.files[0]
	}
	m, p, err := h.domain.Missions.SetPermission(x.r.Context(), m.UUID, in.PermissionInput, permit)
	if err != nil {
		h.uploads.discardFiles(x, form)
		return handlerAnswer{}, err
	}
	return handlerAnswer{
		message: "flight permission of " + m.Code + " recorded",
		data:    h.wirePermission(x, m, p, permit),
	}, nil
}

// readPermission reads a flight permission, as JSON or as a form that may contain the
// permit as a file. The fields of the form are validated like the members of the JSON
// object.
func (h *operationsHandlers) readPermission(x *exchange) (in permissionBody, form *uploadForm, err error) {
	kind, _, _ := mime.ParseMediaType(x.r.Header.Get("Content-Type"))
	if kind != "multipart/form-data" {
		err = x.readInto(&in)
		return in, &uploadForm{}, err
	}
	names := []string{"status", "authority", "reference", "validFrom", "validTo"}
	form, err = h.uploads.storeForm(x, formLimits{
		part:   "permit",
		files:  1,
		fields: names,
	})
	if err != nil {
		return in, nil, err
	}
	body, faults := form.readMembers(names, nil)
	if err := readJSON(body, x.now(), faults, &in); err != nil {
		h.uploads.discardFiles(x, form)
		return in, nil, err
	}
	return in, form, nil
}
