package api

// The methods by which encoding/json, too, writes records in the service's form
// and reads them leniently. A type that embeds a record needs its own: it would
// have those of the inner record otherwise.

// MarshalJSON writes the service's form.
func (r Order) MarshalJSON() ([]byte, error) { return encodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *Order) UnmarshalJSON(b []byte) error { return decodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r Mission) MarshalJSON() ([]byte, error) { return encodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *Mission) UnmarshalJSON(b []byte) error { return decodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r Placemark) MarshalJSON() ([]byte, error) { return encodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *Placemark) UnmarshalJSON(b []byte) error { return decodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r PlanningEntry) MarshalJSON() ([]byte, error) { return encodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *PlanningEntry) UnmarshalJSON(b []byte) error { return decodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r FlightPermission) MarshalJSON() ([]byte, error) { return encodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *FlightPermission) UnmarshalJSON(b []byte) error { return decodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r DeliveryPackage) MarshalJSON() ([]byte, error) { return encodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *DeliveryPackage) UnmarshalJSON(b []byte) error { return decodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r DeliveryFile) MarshalJSON() ([]byte, error) { return encodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *DeliveryFile) UnmarshalJSON(b []byte) error { return decodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r Notifications) MarshalJSON() ([]byte, error) { return encodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *Notifications) UnmarshalJSON(b []byte) error { return decodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r OrderCompletion) MarshalJSON() ([]byte, error) { return encodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *OrderCompletion) UnmarshalJSON(b []byte) error { return decodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r PointOfContact) MarshalJSON() ([]byte, error) { return encodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *PointOfContact) UnmarshalJSON(b []byte) error { return decodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r AdvancedOption) MarshalJSON() ([]byte, error) { return encodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *AdvancedOption) UnmarshalJSON(b []byte) error { return decodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r Dataset) MarshalJSON() ([]byte, error) { return encodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *Dataset) UnmarshalJSON(b []byte) error { return decodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r Quote) MarshalJSON() ([]byte, error) { return encodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *Quote) UnmarshalJSON(b []byte) error { return decodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r WebhookEndpoint) MarshalJSON() ([]byte, error) { return encodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *WebhookEndpoint) UnmarshalJSON(b []byte) error { return decodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r WebhookDelivery) MarshalJSON() ([]byte, error) { return encodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *WebhookDelivery) UnmarshalJSON(b []byte) error { return decodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r Event) MarshalJSON() ([]byte, error) { return encodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *Event) UnmarshalJSON(b []byte) error { return decodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r EventData) MarshalJSON() ([]byte, error) { return encodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *EventData) UnmarshalJSON(b []byte) error { return decodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r EventMission) MarshalJSON() ([]byte, error) { return encodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *EventMission) UnmarshalJSON(b []byte) error { return decodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r Account) MarshalJSON() ([]byte, error) { return encodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *Account) UnmarshalJSON(b []byte) error { return decodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r AccountKey) MarshalJSON() ([]byte, error) { return encodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *AccountKey) UnmarshalJSON(b []byte) error { return decodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r KeyRequest) MarshalJSON() ([]byte, error) { return encodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *KeyRequest) UnmarshalJSON(b []byte) error { return decodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r OrderDetails) MarshalJSON() ([]byte, error) { return encodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *OrderDetails) UnmarshalJSON(b []byte) error { return decodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r NotificationSettings) MarshalJSON() ([]byte, error) { return encodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *NotificationSettings) UnmarshalJSON(b []byte) error { return decodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r CompletionNotice) MarshalJSON() ([]byte, error) { return encodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *CompletionNotice) UnmarshalJSON(b []byte) error { return decodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r CallbackHistory) MarshalJSON() ([]byte, error) { return encodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *CallbackHistory) UnmarshalJSON(b []byte) error { return decodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r CallbackAttempt) MarshalJSON() ([]byte, error) { return encodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *CallbackAttempt) UnmarshalJSON(b []byte) error { return decodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r ServiceClock) MarshalJSON() ([]byte, error) { return encodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *ServiceClock) UnmarshalJSON(b []byte) error { return decodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r Faults) MarshalJSON() ([]byte, error) { return encodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *Faults) UnmarshalJSON(b []byte) error { return decodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r ResetResult) MarshalJSON() ([]byte, error) { return encodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *ResetResult) UnmarshalJSON(b []byte) error { return decodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r SimulatorState) MarshalJSON() ([]byte, error) { return encodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *SimulatorState) UnmarshalJSON(b []byte) error { return decodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r SimulatorStep) MarshalJSON() ([]byte, error) { return encodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *SimulatorStep) UnmarshalJSON(b []byte) error { return decodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r ScenarioState) MarshalJSON() ([]byte, error) { return encodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *ScenarioState) UnmarshalJSON(b []byte) error { return decodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r ScenarioEvent) MarshalJSON() ([]byte, error) { return encodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *ScenarioEvent) UnmarshalJSON(b []byte) error { return decodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r TrustResult) MarshalJSON() ([]byte, error) { return encodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *TrustResult) UnmarshalJSON(b []byte) error { return decodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r OrderRecord) MarshalJSON() ([]byte, error) { return encodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *OrderRecord) UnmarshalJSON(b []byte) error { return decodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r OpsOrder) MarshalJSON() ([]byte, error) { return encodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *OpsOrder) UnmarshalJSON(b []byte) error { return decodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r OpsMission) MarshalJSON() ([]byte, error) { return encodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *OpsMission) UnmarshalJSON(b []byte) error { return decodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r OpsQuote) MarshalJSON() ([]byte, error) { return encodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *OpsQuote) UnmarshalJSON(b []byte) error { return decodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r OpsDataset) MarshalJSON() ([]byte, error) { return encodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *OpsDataset) UnmarshalJSON(b []byte) error { return decodeRecord(b, r) }
