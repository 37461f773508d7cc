package api

// The methods by which encoding/json, too, writes records in the service's form
// and reads them leniently. A type that embeds a record needs its own: it would
// have those of the inner record otherwise.

// MarshalJSON writes the service's form.
func (r Order) MarshalJSON() ([]byte, error) { return EncodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *Order) UnmarshalJSON(b []byte) error { return DecodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r Mission) MarshalJSON() ([]byte, error) { return EncodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *Mission) UnmarshalJSON(b []byte) error { return DecodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r Placemark) MarshalJSON() ([]byte, error) { return EncodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *Placemark) UnmarshalJSON(b []byte) error { return DecodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r PlanningEntry) MarshalJSON() ([]byte, error) { return EncodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *PlanningEntry) UnmarshalJSON(b []byte) error { return DecodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r FlightPermission) MarshalJSON() ([]byte, error) { return EncodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *FlightPermission) UnmarshalJSON(b []byte) error { return DecodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r DeliveryPackage) MarshalJSON() ([]byte, error) { return EncodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *DeliveryPackage) UnmarshalJSON(b []byte) error { return DecodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r DeliveryFile) MarshalJSON() ([]byte, error) { return EncodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *DeliveryFile) UnmarshalJSON(b []byte) error { return DecodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r Notifications) MarshalJSON() ([]byte, error) { return EncodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *Notifications) UnmarshalJSON(b []byte) error { return DecodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r OrderCompletion) MarshalJSON() ([]byte, error) { return EncodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *OrderCompletion) UnmarshalJSON(b []byte) error { return DecodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r PointOfContact) MarshalJSON() ([]byte, error) { return EncodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *PointOfContact) UnmarshalJSON(b []byte) error { return DecodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r AdvancedOption) MarshalJSON() ([]byte, error) { return EncodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *AdvancedOption) UnmarshalJSON(b []byte) error { return DecodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r Dataset) MarshalJSON() ([]byte, error) { return EncodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *Dataset) UnmarshalJSON(b []byte) error { return DecodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r Quote) MarshalJSON() ([]byte, error) { return EncodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *Quote) UnmarshalJSON(b []byte) error { return DecodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r WebhookEndpoint) MarshalJSON() ([]byte, error) { return EncodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *WebhookEndpoint) UnmarshalJSON(b []byte) error { return DecodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r WebhookDelivery) MarshalJSON() ([]byte, error) { return EncodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *WebhookDelivery) UnmarshalJSON(b []byte) error { return DecodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r Event) MarshalJSON() ([]byte, error) { return EncodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *Event) UnmarshalJSON(b []byte) error { return DecodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r EventData) MarshalJSON() ([]byte, error) { return EncodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *EventData) UnmarshalJSON(b []byte) error { return DecodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r EventMission) MarshalJSON() ([]byte, error) { return EncodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *EventMission) UnmarshalJSON(b []byte) error { return DecodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r OrderRecord) MarshalJSON() ([]byte, error) { return EncodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *OrderRecord) UnmarshalJSON(b []byte) error { return DecodeRecord(b, r) }
