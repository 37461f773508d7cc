package api

// The records of the operations API have those of the clients in them. Their
// methods would encode the inner record alone, so that these list both.

type wireOpsOrder struct {
	Order         wireOrder      `json:",embed"`
	AccountUID    string         `json:"accountUid"`
	Account       *Account       `json:"account,omitzero"`
	Missions      []OpsMission   `json:"missions,omitzero"`
	OpenQuotes    *int           `json:"openQuotes,omitzero"`
	Quotes        []OpsQuote     `json:"quotes,omitzero"`
	Details       *OrderDetails  `json:"details,omitzero"`
	Notifications *Notifications `json:"notifications,omitzero"`
}

func (o *OpsOrder) toWire() wireOpsOrder {
	return wireOpsOrder{wireOrder(o.Order), o.AccountUID, o.Account, o.Missions, o.OpenQuotes, o.Quotes, o.Details, o.Notifications}
}

// MarshalJSON writes the service's form.
func (o OpsOrder) MarshalJSON() ([]byte, error) { return encodeRecord(o.toWire()) }

// UnmarshalJSON reads the service's form, leniently.
func (o *OpsOrder) UnmarshalJSON(b []byte) error {
	w := o.toWire()
	err := decode(b, &w)
	*o = OpsOrder{Order(w.Order), w.AccountUID, w.Account, w.Missions, w.OpenQuotes, w.Quotes, w.Details, w.Notifications}
	o.keepUnread(b)
	return err
}

type wireOpsMission struct {
	Mission          wireMission       `json:",embed"`
	Planning         []PlanningEntry   `json:"planning"`
	FlightPermission *FlightPermission `json:"flightPermission"`
	Packages         []DeliveryPackage `json:"packages"`
}

// MarshalJSON writes the service's form.
func (m OpsMission) MarshalJSON() ([]byte, error) {
	return encodeRecord(wireOpsMission{wireMission(m.Mission), m.Planning, m.FlightPermission, m.Packages})
}

// UnmarshalJSON reads the service's form, leniently.
func (m *OpsMission) UnmarshalJSON(b []byte) error {
	w := wireOpsMission{wireMission(m.Mission), m.Planning, m.FlightPermission, m.Packages}
	err := decode(b, &w)
	*m = OpsMission{Mission(w.Mission), w.Planning, w.FlightPermission, w.Packages}
	m.keepUnread(b)
	return err
}

type wireOpsQuote struct {
	Quote     wireQuote   `json:",embed"`
	UUID      string      `json:"uuid"`
	Status    QuoteStatus `json:"status"`
	CreatedAt Time        `json:"createdAt"`
	DecidedAt Time        `json:"decidedAt"`
}

// MarshalJSON writes the service's form.
func (q OpsQuote) MarshalJSON() ([]byte, error) {
	return encodeRecord(wireOpsQuote{wireQuote(q.Quote), q.UUID, q.Status, q.CreatedAt, q.DecidedAt})
}

// UnmarshalJSON reads the service's form, leniently.
func (q *OpsQuote) UnmarshalJSON(b []byte) error {
	w := wireOpsQuote{wireQuote(q.Quote), q.UUID, q.Status, q.CreatedAt, q.DecidedAt}
	err := decode(b, &w)
	*q = OpsQuote{Quote(w.Quote), w.UUID, w.Status, w.CreatedAt, w.DecidedAt}
	return err
}

type wireOpsDataset struct {
	Dataset wireDataset `json:",embed"`
	UUID    string      `json:"uuid"`
}

// MarshalJSON writes the service's form.
func (d OpsDataset) MarshalJSON() ([]byte, error) {
	return encodeRecord(wireOpsDataset{wireDataset(d.Dataset), d.UUID})
}

// UnmarshalJSON reads the service's form, leniently.
func (d *OpsDataset) UnmarshalJSON(b []byte) error {
	w := wireOpsDataset{wireDataset(d.Dataset), d.UUID}
	err := decode(b, &w)
	*d = OpsDataset{Dataset(w.Dataset), w.UUID}
	d.keepUnread(b)
	return err
}
