package ops

import (
	"context"

	"flightdesk/api"
)

// Mission is a mission with its planning, permission and deliveries.
type Mission struct {
	api.Mission
	Planning         []api.PlanningEntry   `json:"planning"` // newest first
	FlightPermission *api.FlightPermission `json:"flightPermission"`
	Packages         []api.DeliveryPackage `json:"packages"` // newest first
}

// FlightInput is the request to schedule a mission. Empty texts are not sent.
type FlightInput struct {
	FlightDate  api.Time `json:"flightDate" check:"required"`
	ScheduledBy string   `json:"scheduledBy,omitzero" check:"name"`
	Note        string   `json:"note,omitzero" check:"text"`
}

// PermissionInput is the request to record a flight permission.
type PermissionInput struct {
	Status    api.PermissionStatus `json:"status" check:"required"`
	Authority string               `json:"authority,omitzero" check:"name"`
	Reference string               `json:"reference,omitzero" check:"name"`
	ValidFrom api.Time             `json:"validFrom,omitzero" check:"optional"`
	ValidTo   api.Time             `json:"validTo,omitzero" check:"optional"` // not before ValidFrom
}

// AssignOperator assigns an operator to a mission. Repeating it with the same name changes nothing.
func (s *MissionsService) AssignOperator(ctx context.Context, missionUUID, operatorName string) (*api.Mission, error) {
	op := api.NewOperation("assign operator", "POST missions/{}/assign-operator", missionUUID).Repeatable()
	return api.CallOne[api.Mission](ctx, s.c, op, map[string]string{"operatorName": operatorName})
}

// Schedule sets a mission's flight date, which adds a version to its planning.
func (s *MissionsService) Schedule(ctx context.Context, missionUUID string, in FlightInput) (*api.Mission, error) {
	return api.CallOne[api.Mission](ctx, s.c, api.NewOperation("schedule flight", "POST missions/{}/schedule", missionUUID), in)
}

// SetFlightPermission records a mission's flight permission, with its document unless permit is
// nil. It replaces the previous permission.
func (s *MissionsService) SetFlightPermission(
	ctx context.Context, missionUUID string, in PermissionInput, permit *api.FileInput,
) (*api.FlightPermission, error) {
	op := api.NewOperation("record flight permission", "PUT missions/{}/flight-permission", missionUUID)
	if permit == nil {
		return api.CallOne[api.FlightPermission](ctx, s.c, op, in)
	}
	fields := [][2]string{
		{"status", string(in.Status)},
		{"authority", in.Authority},
		{"reference", in.Reference},
		{"validFrom", formTime(in.ValidFrom)},
		{"validTo", formTime(in.ValidTo)},
	}
	return api.CallOne[api.FlightPermission](ctx, s.c, op.WithForm(fields, "permit", *permit), nil)
}

func formTime(t api.Time) string {
	if t.IsZero() {
		return t.Raw
	}
	return t.Text()
}

// Deliver uploads files as a new package of a mission. It streams the files.
func (s *MissionsService) Deliver(
	ctx context.Context,
	missionUUID string,
	files ...api.FileInput,
) (*api.DeliveryPackage, error) {
	op := api.NewOperation("deliver", "POST missions/{}/deliver", missionUUID).Slow(10)
	var fields [][2]string
	for _, f := range files {
		fields = append(fields, [2]string{"fileDataType", string(f.FileDataType)})
	}
	return api.CallOne[api.DeliveryPackage](ctx, s.c, op.WithForm(fields, "files", files...), nil)
}

// GenerateDelivery creates a new package of a mission at the service, with sample files of all
// deliverables of the order.
func (s *MissionsService) GenerateDelivery(ctx context.Context, missionUUID string) (*api.DeliveryPackage, error) {
	op := api.NewOperation("generate delivery", "POST missions/{}/deliver", missionUUID).Slow(10)
	return api.CallOne[api.DeliveryPackage](ctx, s.c, op, map[string]bool{"generate": true})
}

// AcceptDelivery accepts the delivery of a mission, which completes it.
func (s *MissionsService) AcceptDelivery(ctx context.Context, missionUUID string) (*api.Mission, error) {
	op := api.NewOperation("accept delivery", "POST missions/{}/accept-delivery", missionUUID)
	return api.CallOne[api.Mission](ctx, s.c, op, nil)
}
