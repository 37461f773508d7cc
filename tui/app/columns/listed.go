package columns

import (
	"encoding/json"

	jsonv2 "github.com/go-json-experiment/json"

	"flightdesk/api"
)

// joinRecord writes a record with fields before its own. A type that embeds a
// record has the record's MarshalJSON, which knows nothing of other fields.
func joinRecord(fields any, record json.Marshaler) ([]byte, error) {
	before, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	text, err := record.MarshalJSON()
	if err != nil || len(text) == len("{}") {
		return before, err
	}
	return append(append(before[:len(before)-1], ','), text[1:]...), nil
}

// MarshalJSON writes the quote with its order.
func (q ListedQuote) MarshalJSON() ([]byte, error) {
	return joinRecord(struct {
		OrderID   string          `json:"orderId"`
		OrderCode string          `json:"orderCode,omitzero"`
		OrderName string          `json:"orderName"`
		Status    api.QuoteStatus `json:"status"`
		Expired   bool            `json:"expired"`
	}{q.OrderID, q.OrderCode, q.OrderName, q.Status, q.Expired}, q.Quote)
}

// MarshalJSON writes the callback with its endpoint.
func (c ListedCallback) MarshalJSON() ([]byte, error) {
	return joinRecord(struct {
		EndpointUID string          `json:"endpointUid"`
		EndpointURL string          `json:"endpointUrl,omitzero"`
		MissionCode string          `json:"missionCode,omitzero"`
		History     json.RawMessage `json:"history,omitzero"`
	}{c.EndpointUID, c.EndpointURL, c.MissionCode, historyOf(c.History)}, c.WebhookDelivery)
}

// historyOf writes the attempts of a callback, which has them below itself.
func historyOf(h *api.CallbackHistory) json.RawMessage {
	if h == nil {
		return nil
	}
	text, err := jsonv2.Marshal(struct {
		NextAttemptAt api.Time              `json:"nextAttemptAt"`
		Attempts      []api.CallbackAttempt `json:"attempts"`
	}{h.NextAttemptAt, h.Attempts})
	if err != nil {
		return nil
	}
	return text
}

// MarshalJSON writes the file with its mission and package.
func (f ListedFile) MarshalJSON() ([]byte, error) {
	return joinRecord(struct {
		OrderCode   string `json:"orderCode"`
		MissionCode string `json:"missionCode"`
		PackageUID  string `json:"packageUid"`
		Version     int    `json:"version"`
	}{f.OrderCode, f.MissionCode, f.PackageUID, f.Version}, f.DeliveryFile)
}
