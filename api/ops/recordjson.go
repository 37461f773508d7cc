package ops

import "flightdesk/api"

// A type that embeds a record needs methods of its own: it would have those of the
// inner record otherwise.

// MarshalJSON writes the service's form.
func (r Account) MarshalJSON() ([]byte, error) { return api.EncodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *Account) UnmarshalJSON(b []byte) error { return api.DecodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r AccountKey) MarshalJSON() ([]byte, error) { return api.EncodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *AccountKey) UnmarshalJSON(b []byte) error { return api.DecodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r KeyRequest) MarshalJSON() ([]byte, error) { return api.EncodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *KeyRequest) UnmarshalJSON(b []byte) error { return api.DecodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r OrderDetails) MarshalJSON() ([]byte, error) { return api.EncodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *OrderDetails) UnmarshalJSON(b []byte) error { return api.DecodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r NotificationSettings) MarshalJSON() ([]byte, error) { return api.EncodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *NotificationSettings) UnmarshalJSON(b []byte) error { return api.DecodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r CompletionNotice) MarshalJSON() ([]byte, error) { return api.EncodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *CompletionNotice) UnmarshalJSON(b []byte) error { return api.DecodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r CallbackHistory) MarshalJSON() ([]byte, error) { return api.EncodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *CallbackHistory) UnmarshalJSON(b []byte) error { return api.DecodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r CallbackAttempt) MarshalJSON() ([]byte, error) { return api.EncodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *CallbackAttempt) UnmarshalJSON(b []byte) error { return api.DecodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r ServiceClock) MarshalJSON() ([]byte, error) { return api.EncodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *ServiceClock) UnmarshalJSON(b []byte) error { return api.DecodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r Faults) MarshalJSON() ([]byte, error) { return api.EncodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *Faults) UnmarshalJSON(b []byte) error { return api.DecodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r ResetResult) MarshalJSON() ([]byte, error) { return api.EncodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *ResetResult) UnmarshalJSON(b []byte) error { return api.DecodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r SimulatorState) MarshalJSON() ([]byte, error) { return api.EncodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *SimulatorState) UnmarshalJSON(b []byte) error { return api.DecodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r SimulatorStep) MarshalJSON() ([]byte, error) { return api.EncodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *SimulatorStep) UnmarshalJSON(b []byte) error { return api.DecodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r ScenarioState) MarshalJSON() ([]byte, error) { return api.EncodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *ScenarioState) UnmarshalJSON(b []byte) error { return api.DecodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r ScenarioEvent) MarshalJSON() ([]byte, error) { return api.EncodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *ScenarioEvent) UnmarshalJSON(b []byte) error { return api.DecodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r TrustResult) MarshalJSON() ([]byte, error) { return api.EncodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *TrustResult) UnmarshalJSON(b []byte) error { return api.DecodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r Order) MarshalJSON() ([]byte, error) { return api.EncodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *Order) UnmarshalJSON(b []byte) error { return api.DecodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r Mission) MarshalJSON() ([]byte, error) { return api.EncodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *Mission) UnmarshalJSON(b []byte) error { return api.DecodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r Quote) MarshalJSON() ([]byte, error) { return api.EncodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *Quote) UnmarshalJSON(b []byte) error { return api.DecodeRecord(b, r) }

// MarshalJSON writes the service's form.
func (r Dataset) MarshalJSON() ([]byte, error) { return api.EncodeRecord(r) }

// UnmarshalJSON reads the service's form, leniently.
func (r *Dataset) UnmarshalJSON(b []byte) error { return api.DecodeRecord(b, r) }
