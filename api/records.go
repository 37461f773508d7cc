package api

import (
	"cmp"
	"context"
	"iter"
)

// RecordStatus is the state of an order in the v2 API. Like an [OrderStatus], it can have
// unknown values.
type RecordStatus string

// The known statuses of the v2 API.
const (
	RecordReviewing        RecordStatus = "reviewing" // a quote will follow
	RecordQuoteReceived    RecordStatus = "quoteReceived"
	RecordPendingOperator  RecordStatus = "pendingOperator"
	RecordOperatorAssigned RecordStatus = "operatorAssigned"
	RecordNotFeasible      RecordStatus = "orderNotFeasible"
	RecordFlyingDateSet    RecordStatus = "flyingDateSet"
	RecordCompleted        RecordStatus = "completed"
	RecordRejected         RecordStatus = "rejected"
	RecordCancelled        RecordStatus = "cancelled"
	RecordDeleted          RecordStatus = "deleted"
)

// RecordStatuses returns the statuses that an order can have in the v2 API according to the specification.
func RecordStatuses() []RecordStatus {
	return []RecordStatus{
		RecordReviewing, RecordQuoteReceived, RecordPendingOperator, RecordOperatorAssigned, RecordNotFeasible,
		RecordFlyingDateSet, RecordCompleted, RecordRejected, RecordCancelled, RecordDeleted,
	}
}

// DeliveryProducts lists the values of the parameter fileDataType, by which the v2 API filters files. No
// value selects photos (jpg), because photos are base files.
func DeliveryProducts() []Deliverable {
	return []Deliverable{
		"_2dMap",
		"_3dMap",
		"elevationMap",
		"digitalTerrainModel",
		"digitalSurfaceModel",
		"thermalMap",
		"ndvi",
		"multispectral",
		"streamedData",
		"raw",
		"panoramas",
		"LiDAR",
		"topographicMap",
		"_3dModel",
		"pointCloud",
		"hyperspectral",
	}
}

// OrderRecord is an order of the v2 API. Responses can lack some of its members.
type OrderRecord struct {
	ID                   string        `json:"id"` // the order's uuid
	OrderCode            string        `json:"orderCode,omitzero"`
	OrderName            string        `json:"orderName"`
	AreaSize             *float64      `json:"areaSize,omitzero"` // square metres
	ClientName           string        `json:"clientName"`
	ClientEmail          string        `json:"clientEmail"`
	CompanyName          string        `json:"companyName"`
	DeliveryDeadline     Date          `json:"deliveryDeadline,omitzero"`
	OrderPrice           Price         `json:"orderPrice"`
	OrderStatus          RecordStatus  `json:"orderStatus"`
	OrderRejectionReason string        `json:"orderRejectionReason,omitzero"`
	LocationMap          []Point       `json:"locationMap"`           // of the first mission
	LocationMaps         [][]Point     `json:"locationMaps,omitzero"` // one per mission
	MapTypes             []Deliverable `json:"mapTypes"`
	RecordDetails
	Notifications *Notifications `json:"notifications,omitzero"`
	DeliveryFiles *DeliveryFiles `json:"deliveryFiles,omitzero"`

	// At the quote stage.
	Status         RecordStatus `json:"status,omitzero"` // "quoteReceived"
	Instruction    string       `json:"instruction,omitzero"`
	Quotes         []Quote      `json:"quotes,omitzero"` // open quotes
	RejectedQuotes []Quote      `json:"rejectedQuotes,omitzero"`
	OrderDetails   *OrderRecord `json:"orderDetails,omitzero"` // repeats the members of the order

	// After a decision.
	AcceptedQuote *Quote  `json:"acceptedQuote,omitzero"`
	ClosedQuotes  []Quote `json:"closedQuotes,omitzero"` // closed because another quote was accepted

	Extra ExtraMembers `json:",embed"`
}

// RecordDetails are the members of an order record that no request of the public API sets.
// The service replaces all of them at once and stores them unchanged.
type RecordDetails struct {
	Description    string          `json:"description,omitzero" check:"remark"`
	OtherMapType   string          `json:"otherMapType,omitzero" check:"label"`
	PointOfContact *PointOfContact `json:"pointOfContact,omitzero" check:"optional"`
	AdvancedOption *AdvancedOption `json:"advancedOption,omitzero" check:"optional"`
	Extra          ExtraMembers    `json:",embed"`
}

// StageStatus returns the status to show: the status of the quote stage if the record has
// one, because orderStatus can lag behind it, otherwise orderStatus.
func (r *OrderRecord) StageStatus() RecordStatus {
	if r.Status != "" {
		return r.Status
	}
	return r.OrderStatus
}

// Notifications describes how a client is notified that an order is complete.
type Notifications struct {
	Webhook string       `json:"webhook,omitzero"` // https address
	Email   bool         `json:"email"`
	Failed  []string     `json:"failed,omitzero"` // notifications that finally failed, each with its reason
	Extra   ExtraMembers `json:",embed"`
}

// OrderCompletion is the body of the notification that an order is complete.
type OrderCompletion struct {
	ID          string       `json:"id"` // of the order
	OrderStatus RecordStatus `json:"orderStatus"`
	CompletedAt Time         `json:"completedAt"`
	Extra       ExtraMembers `json:",embed"`
}

// PointOfContact is the contact person of an order.
type PointOfContact struct {
	PocName  string       `json:"pocName,omitzero" check:"label"`
	PocPhone string       `json:"pocPhone,omitzero" check:"label"`
	Extra    ExtraMembers `json:",embed"`
}

// AdvancedOption has the flight options of an order.
type AdvancedOption struct {
	FlightHeight *float64     `json:"flightHeight,omitzero" check:"height"` // metres
	GCP          bool         `json:"gcp" check:"optional"`                 // ground control points
	Extra        ExtraMembers `json:",embed"`
}

// DeliveryFiles has the signed links of delivered files. The service sends them either by
// kind, or as a single list, as getorderslist does.
type DeliveryFiles struct {
	BaseFiles     []string                 // jpg
	ProcessedData map[Deliverable][]string // by delivery product
	Links         []string                 // the single list; nil if the links are by kind
	Extra         ExtraMembers
}

// Len returns the number of links.
func (f *DeliveryFiles) Len() int {
	if f == nil {
		return 0
	}
	n := len(f.BaseFiles) + len(f.Links)
	for _, links := range f.ProcessedData {
		n += len(links)
	}
	return n
}

// RecordListOptions selects a page of records. For the zero value, no options are sent, and the service
// lists all orders.
type RecordListOptions struct {
	Status       RecordStatus  // "" for any
	FileDataType []Deliverable // filters the links, not the orders
	Limit        int           // 1 to [MaxPageLimit]; 0 leaves it to the service
	Page         int           // from 0
}

// RecordsService reads orders of the v2 API.
type RecordsService serviceBase

// Get returns the order with the given ID or code. If fileDataType is given, ProcessedData has only
// the files of these products, and BaseFiles is empty. If the service sent quotes in a form that
// cannot be decoded, Get returns the order without these quotes, together with a [*MissingError].
func (s *RecordsService) Get(
	ctx context.Context,
	id string,
	fileDataType ...Deliverable,
) (*OrderRecord, error) {
	op := legacyRead("read order record", "POST getorder/{}", id)
	record, err := getRecord[OrderRecord](ctx, s.c, op, filterBody{FileDataType: fileDataType})
	if err != nil {
		return nil, err
	}
	for _, list := range []string{"quotes", "rejectedQuotes", "closedQuotes"} {
		if sent := record.Extra[list]; sent != nil {
			unread := foreignError(op, "the service sent no list as "+list)
			return record, &MissingError{What: "the quotes of " + cmp.Or(record.OrderCode, id), Err: unread}
		}
	}
	return record, nil
}

// List returns one page of the account's orders, newest first.
func (s *RecordsService) List(ctx context.Context, opts RecordListOptions) ([]OrderRecord, error) {
	op := legacyRead("list order records", "POST getorderslist")
	return listRecords[OrderRecord](ctx, s.c, op, filterBody(opts))
}

// All yields the account's orders, newest first, starting with page opts.Page. It yields each
// order once, although an order placed meanwhile moves others to a later page. It yields
// the first error and stops.
func (s *RecordsService) All(ctx context.Context, opts RecordListOptions) iter.Seq2[*OrderRecord, error] {
	if opts.Limit == 0 {
		opts.Limit = MaxPageLimit
	}
	page := func(n int) ([]OrderRecord, error) {
		opts := opts
		opts.Page += n
		return s.List(ctx, opts)
	}
	return walkPages(ctx, page, func(r *OrderRecord) string {
		return cmp.Or(r.ID, r.OrderCode) + "\x00" + r.OrderName
	})
}

// filterBody is the request body of the v2 API's read operations.
type filterBody struct {
	Status       RecordStatus  `json:"status,omitzero"`
	FileDataType []Deliverable `json:"fileDataType,omitzero"`
	Limit        int           `json:"limit,omitzero"`
	Page         int           `json:"page,omitzero"`
}

// legacyRead returns a read operation of the v2 API. All operations of the v2 API are POST,
// but its reads can be repeated.
func legacyRead(name, call string, values ...string) Operation {
	op := NewOperation(name, call, values...).Repeatable()
	op.legacy = true
	op.read = true
	return op
}

// listRecords performs an operation that returns a list in any container, and makes the
// links of its records absolute. If the service rejects the limit, the request is repeated
// without one.
func listRecords[T any](ctx context.Context, c *Connection, op Operation, body filterBody) ([]T, error) {
	var list []T
	err := c.withLimit(body.Limit, body.Page == 0, func(limit int) error {
		body.Limit = limit
		response, err := c.performJSON(ctx, &op, body)
		if err != nil {
			return err
		}
		_, err = readList(op, response, &list)
		return err
	})
	for i := range list {
		c.resolveLinks(&list[i])
	}
	return list, err
}

// getRecord performs an operation that returns one record, and makes its links absolute.
func getRecord[T any](ctx context.Context, c *Connection, op Operation, body filterBody) (*T, error) {
	record, err := CallOne[T](ctx, c, op, body)
	if err != nil {
		return nil, err
	}
	c.resolveLinks(record)
	return record, nil
}

// MaxLibraryFilters is the maximum number of fileDataType values in a library request.
const MaxLibraryFilters = 10

// Dataset is a purchased dataset of the data library.
type Dataset struct {
	ID            string         `json:"id"`
	DatasetName   string         `json:"datasetName"`
	Categories    []string       `json:"categories"`
	Description   string         `json:"description"`
	SDGGoals      []string       `json:"sdgGoals"`
	LocationLabel string         `json:"locationLabel"`
	LocationMap   []Point        `json:"locationMap"`
	DateCompleted Date           `json:"dateCompleted"`
	DeliveryFiles *DeliveryFiles `json:"deliveryFiles,omitzero"`
	Extra         ExtraMembers   `json:",embed"`
}

// DatasetListOptions selects a page of datasets. The zero value selects the newest page of
// the service's default size.
type DatasetListOptions struct {
	FileDataType []Deliverable // at most [MaxLibraryFilters]; none for base files only
	Limit        int           // 1 to [MaxPageLimit]; 0 leaves it to the service
	Page         int           // from 0
}

// LibraryService reads purchased datasets.
type LibraryService serviceBase

// List returns one page of the account's datasets, newest first.
func (s *LibraryService) List(ctx context.Context, opts DatasetListOptions) ([]Dataset, error) {
	op := legacyRead("list datasets", "POST datalibraryorders")
	body := filterBody{FileDataType: opts.FileDataType, Limit: opts.Limit, Page: opts.Page}
	return listRecords[Dataset](ctx, s.c, op, body)
}

// Get returns a dataset. If fileDataType is empty, the dataset has its base files; otherwise it has only
// the files of these products.
func (s *LibraryService) Get(ctx context.Context, id string, fileDataType ...Deliverable) (*Dataset, error) {
	op := legacyRead("read dataset", "POST datalibraryorders/{}", id)
	return getRecord[Dataset](ctx, s.c, op, filterBody{FileDataType: fileDataType})
}

// All yields the account's datasets once each, newest first, starting with page opts.Page. It
// yields the first error and stops.
func (s *LibraryService) All(ctx context.Context, opts DatasetListOptions) iter.Seq2[*Dataset, error] {
	if opts.Limit == 0 {
		opts.Limit = MaxPageLimit
	}
	page := func(n int) ([]Dataset, error) {
		opts := opts
		opts.Page += n
		return s.List(ctx, opts)
	}
	return walkPages(ctx, page, func(d *Dataset) string { return d.ID + "\x00" + d.DatasetName })
}
