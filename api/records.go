package api

import (
	"cmp"
	"context"
	"iter"
)

// RecordStatus is the state of an order in the v2 API;
// open like [OrderStatus].
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

// RecordStatuses lists the known statuses of the v2 API.
func RecordStatuses() []RecordStatus {
	return []RecordStatus{
		RecordReviewing, RecordQuoteReceived, RecordPendingOperator, RecordOperatorAssigned, RecordNotFeasible,
		RecordFlyingDateSet, RecordCompleted, RecordRejected, RecordCancelled, RecordDeleted,
	}
}

// DeliveryProducts lists the kinds of file that a fileDataType may name. Base
// files are jpg and have no name there.
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

// OrderRecord is an order as the v2 API returns it. Not
// every member is in every answer.
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
	LocationMaps         [][]Point     `json:"locationMaps,omitzero"` // one a mission
	MapTypes             []Deliverable `json:"mapTypes"`
	RecordDetails
	Notifications *Notifications `json:"notifications,omitzero"`
	DeliveryFiles *DeliveryFiles `json:"deliveryFiles,omitzero"`

	// At the quote stage.
	Status         RecordStatus `json:"status,omitzero"` // "quoteReceived"
	Instruction    string       `json:"instruction,omitzero"`
	Quotes         []Quote      `json:"quotes,omitzero"` // neither accepted nor rejected
	RejectedQuotes []Quote      `json:"rejectedQuotes,omitzero"`
	OrderDetails   *OrderRecord `json:"orderDetails,omitzero"` // the order's own members once more

	// After a decision.
	AcceptedQuote *Quote  `json:"acceptedQuote,omitzero"`
	ClosedQuotes  []Quote `json:"closedQuotes,omitzero"` // by accepting another

	Extra ExtraMembers `json:",embed"`
}

// RecordDetails are the members of an order record that no public request sets. The
// service replaces all of them at once, and keeps them as they are here.
type RecordDetails struct {
	Description    string          `json:"description,omitzero" check:"remark"`
	OtherMapType   string          `json:"otherMapType,omitzero" check:"label"`
	PointOfContact *PointOfContact `json:"pointOfContact,omitzero" check:"optional"`
	AdvancedOption *AdvancedOption `json:"advancedOption,omitzero" check:"optional"`
	Extra          ExtraMembers    `json:",embed"`
}

// StageStatus returns the status to show: that of the quote stage where the record is at
// it, since orderStatus may lag behind.
func (r *OrderRecord) StageStatus() RecordStatus {
	if r.Status != "" {
		return r.Status
	}
	return r.OrderStatus
}

// Notifications say how a client hears that an order is complete.
type Notifications struct {
	Webhook string       `json:"webhook,omitzero"` // https address
	Email   bool         `json:"email"`
	Failed  []string     `json:"failed,omitzero"` // ways that failed for good, each with its reason
	Extra   ExtraMembers `json:",embed"`
}

// OrderCompletion is the body of the notification that an order is complete.
type OrderCompletion struct {
	ID          string       `json:"id"` // of the order
	OrderStatus RecordStatus `json:"orderStatus"`
	CompletedAt Time         `json:"completedAt"`
	Extra       ExtraMembers `json:",embed"`
}

// PointOfContact is whom to ask about an order.
type PointOfContact struct {
	PocName  string       `json:"pocName,omitzero" check:"label"`
	PocPhone string       `json:"pocPhone,omitzero" check:"label"`
	Extra    ExtraMembers `json:",embed"`
}

// AdvancedOption is how an order is to be flown.
type AdvancedOption struct {
	FlightHeight *float64     `json:"flightHeight,omitzero" check:"height"` // metres
	GCP          bool         `json:"gcp" check:"optional"`                 // ground control points
	Extra        ExtraMembers `json:",embed"`
}

// DeliveryFiles are the signed links of delivered files: by kind, or one
// list where the service sends no more than that, as getorderslist does.
type DeliveryFiles struct {
	BaseFiles     []string                 // jpg
	ProcessedData map[Deliverable][]string // by delivery product
	Links         []string                 // not nil: a list without kinds
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

// RecordListOptions choose a page of records. The zero value leaves out all
// options: the service then lists all orders.
type RecordListOptions struct {
	Status       RecordStatus  // "": any
	FileDataType []Deliverable // of the links, not of the orders
	Limit        int           // 1 to [MaxPageLimit]; 0: not sent
	Page         int           // from 0
}

// RecordsService reads orders of the v2 API.
type RecordsService serviceBase

// Get returns an order by its id or code. With fileDataType its processedData
// has these products only, and baseFiles is empty. If its quotes were sent and cannot be
// read, the order is returned with a [*MissingError].
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

// All yields the account's orders, newest first, page by page, each once: an
// order placed meanwhile moves others to a later page. opts.Page is where it
// begins. It stops after the first error, which it yields.
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

// filterBody is the body of the v2 API's reads.
type filterBody struct {
	Status       RecordStatus  `json:"status,omitzero"`
	FileDataType []Deliverable `json:"fileDataType,omitzero"`
	Limit        int           `json:"limit,omitzero"`
	Page         int           `json:"page,omitzero"`
}

// legacyRead returns a read of the v2 API. All of its operations are
// POST; reads may be repeated all the same.
func legacyRead(name, call string, values ...string) Operation {
	op := NewOperation(name, call, values...).Repeatable()
	op.legacy, op.read = true, true
	return op
}

// listRecords performs an operation that answers a list in any container. A service
// that refuses the limit is asked again with what it allows.
func listRecords[T any](
	ctx context.Context,
	c *Connection,
	op Operation,
	body filterBody,
) (list []T, err error) {
	err = c.withLimit(body.Limit, body.Page == 0, func(limit int) error {
		body.Limit = limit
		got, err := c.performJSON(ctx, &op, body)
		if err != nil {
			return err
		}
		_, err = readList(op, got, &list)
		return err
	})
	for i := range list {
		c.resolveLinks(&list[i])
	}
	return list, err
}

// getRecord performs an operation that answers one record.
func getRecord[T any](ctx context.Context, c *Connection, op Operation, body filterBody) (*T, error) {
	record, err := CallOne[T](ctx, c, op, body)
	if err == nil {
		c.resolveLinks(record)
	}
	return record, err
}

// MaxLibraryFilters is how many fileDataType values the library takes.
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

// DatasetListOptions choose a page of datasets. The zero value is the newest
// page of the service's default size.
type DatasetListOptions struct {
	FileDataType []Deliverable // at most [MaxLibraryFilters]; none: base files only
	Limit        int           // 1 to [MaxPageLimit]; 0: not sent
	Page         int           // from 0
}

// LibraryService reads purchased datasets.
type LibraryService serviceBase

// List returns one page of the account's datasets, newest first.
func (s *LibraryService) List(ctx context.Context, opts DatasetListOptions) ([]Dataset, error) {
	op := legacyRead("list datasets", "POST datalibraryorders")
	return listRecords[Dataset](ctx, s.c, op, filterBody{
		FileDataType: opts.FileDataType, Limit: opts.Limit, Page: opts.Page,
	})
}

// Get returns a dataset. Without fileDataType it has its base files only; with
// it, the products named and no base files.
func (s *LibraryService) Get(ctx context.Context, id string, fileDataType ...Deliverable) (*Dataset, error) {
	op := legacyRead("read dataset", "POST datalibraryorders/{}", id)
	return getRecord[Dataset](ctx, s.c, op, filterBody{FileDataType: fileDataType})
}

// All yields the account's datasets, newest first, page by page, each once.
// opts.Page is where it begins. It stops after the first error, which it
// yields.
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
