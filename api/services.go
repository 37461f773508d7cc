package api

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"iter"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// OrdersService places and reads orders.
type OrdersService serviceBase

// Create places an order and returns it. The idempotency key names this
// attempt: a service that knows such keys answers a repetition with the first
// result, so use one key for all tries of one order ([NewIdempotencyKey]).
// Where [MaybeApplied] holds for the error, read the list before trying again.
func (s *OrdersService) Create(
	ctx context.Context,
	req CreateOrderRequest,
	idempotencyKey string,
) (*Order, error) {
	op := NewOperation("create order", "POST orders")
	if idempotencyKey != "" {
		op.header = http.Header{"Idempotency-Key": {idempotencyKey}}
	}
	return CallOne[Order](ctx, s.c, op, req)
}

// List returns one page of the account's orders.
func (s *OrdersService) List(ctx context.Context, opts ListOptions) (*Page[Order], error) {
	return CallPage[Order](ctx, s.c, NewOperation("list orders", "GET orders"), opts)
}

// All yields the account's orders, newest first, page by page. It stops after
// the first error, which it yields.
func (s *OrdersService) All(ctx context.Context) iter.Seq2[*Order, error] {
	return WalkList(ctx, MaxPageLimit, s.List)
}

// Get returns an order with its missions, also where a service has only their number
// or their ids in it.
func (s *OrdersService) Get(ctx context.Context, code string) (*Order, error) {
	order, err := CallOne[Order](ctx, s.c, NewOperation("read order", "GET orders/{}", code), nil)
	if err != nil || len(order.Missions) > 0 {
		return order, err
	}
	counted := order.MissionCount != nil && *order.MissionCount > 0
	if order.Missions == nil && !counted {
		return order, nil
	}
	missions, err := wholeList[Mission](ctx, s.c, NewOperation("list missions", "GET orders/{}/missions", code))
	if err != nil && counted {
		return order, fmt.Errorf("the missions of %s cannot be read: %w", code, err)
	}
	order.Missions = missions
	return order, nil
}

// Cancel ends an order whose data has not been delivered, and returns it.
// Doing it again changes nothing.
func (s *OrdersService) Cancel(ctx context.Context, uuid string) (*Order, error) {
	return s.moveOrder(ctx, "cancel", uuid, nil)
}

// Archive puts an order away that has come to an end or has not begun, and
// returns it. Doing it again changes nothing. The reason has 1 to
// [MaxTextLength] characters.
func (s *OrdersService) Archive(ctx context.Context, uuid, reason string) (*Order, error) {
	return s.moveOrder(ctx, "archive", uuid, map[string]string{"reason": reason})
}

// Reject ends an order before a quote is accepted, and returns it. Doing it
// again changes nothing. The reason has 1 to [MaxTextLength] characters.
func (s *OrdersService) Reject(ctx context.Context, uuid, reason string) (*Order, error) {
	return s.moveOrder(ctx, "reject", uuid, map[string]string{"reason": reason})
}

// moveOrder makes a move, by POST or else by a method that the service allows. Where
// the answer has no order, the order is read.
func (s *OrdersService) moveOrder(ctx context.Context, verb, uuid string, reason any) (*Order, error) {
	op := NewOperation(verb+" order", "POST orders/{}/{}", uuid, verb).Repeatable()
	body, err := s.c.performJSON(ctx, &op, reason)
	var refusal *Error
	if errors.As(err, &refusal) && refusal.Status == http.StatusMethodNotAllowed {
		if op.method = otherMethod(refusal.allow); op.method != "" {
			body, err = s.c.performJSON(ctx, &op, reason)
		}
	}
	if err != nil {
		return nil, err
	}
	var orders []Order
	if err = readOne(op, body, &orders); err == nil {
		return &orders[0], nil
	}
	if errors.As(err, &refusal) && !refusal.Foreign {
		return nil, err
	}
	if order, again := s.findOrder(ctx, uuid); again == nil {
		return order, nil
	}
	return nil, err
}

// findOrder reads an order by its uuid, also where the service takes codes only.
func (s *OrdersService) findOrder(ctx context.Context, uuid string) (*Order, error) {
	order, err := s.Get(ctx, uuid)
	if !IsStatus(err, http.StatusNotFound) && !IsStatus(err, http.StatusBadRequest) {
		return order, err
	}
	for listed, again := range s.All(ctx) {
		if again != nil {
			return nil, again
		}
		if listed.UUID == uuid {
			return s.Get(ctx, listed.OrderCode)
		}
	}
	return nil, err
}

// otherMethod returns the method by which a service makes a move that it does not
// make by POST, "" for none.
func otherMethod(allow string) string {
	allowed := strings.Split(allow, ",")
	for _, method := range []string{http.MethodPut, http.MethodPatch} {
		isMethod := func(s string) bool { return strings.EqualFold(strings.TrimSpace(s), method) }
		if slices.ContainsFunc(allowed, isMethod) {
			return method
		}
	}
	return ""
}

// NewIdempotencyKey returns a key for one attempt to create something.
func NewIdempotencyKey() string { return rand.Text() }

// MissionsService reads missions.
type MissionsService serviceBase

// List returns one page of an order's missions; without a limit the service
// sends them all.
func (s *MissionsService) List(ctx context.Context, code string, opts ListOptions) (*Page[Mission], error) {
	return CallPage[Mission](ctx, s.c, NewOperation("list missions", "GET orders/{}/missions", code), opts)
}

// SurveysService has survey files parsed by the service.
type SurveysService serviceBase

// ParseKML uploads a KML file of at most [MaxUploadBytes].
func (s *SurveysService) ParseKML(ctx context.Context, fileName string, file []byte) (*ParseResult, error) {
	return s.parseFile(ctx, "kml", fileName, file)
}

// ParseCSV uploads a CSV file of at most [MaxUploadBytes].
func (s *SurveysService) ParseCSV(ctx context.Context, fileName string, file []byte) (*ParseResult, error) {
	return s.parseFile(ctx, "csv", fileName, file)
}

func (s *SurveysService) parseFile(
	ctx context.Context,
	kind, fileName string,
	file []byte,
) (*ParseResult, error) {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", fileName)
	if err == nil {
		_, err = part.Write(file)
	}
	if err == nil {
		err = form.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("parse %s: %w", kind, err)
	}
	op := NewOperation("parse "+kind, "POST {}/parse", kind).Repeatable().Slow(2)
	op.body, op.header = body.Bytes(), http.Header{"Content-Type": {form.FormDataContentType()}}
	env, err := callFor[ParseResult](ctx, s.c, op)
	if err != nil {
		return nil, err
	}
	env.Data.Message = env.Message
	return &env.Data, nil
}

// Template returns a CSV file to start from. A service that sends the file
// itself names none; it is called sites.csv then.
func (s *SurveysService) Template(ctx context.Context) (*CSVTemplate, error) {
	op := NewOperation("get the CSV template", "GET csv/example")
	body, err := s.c.perform(ctx, &op)
	if err != nil {
		return nil, err
	}
	var env answerEnvelope[CSVTemplate]
	switch err = DecodeRecord(body, &env); {
	case err == nil && env.Success && env.Data.Content != "":
	case err != nil && len(body) > 0 && !strings.ContainsRune("<{[", rune(body[0])) && utf8.Valid(body):
		env.Data = CSVTemplate{Content: string(body)}
	default:
		return nil, foreignError(op, "the response contains no CSV file")
	}
	env.Data.FileName = cmp.Or(env.Data.FileName, "sites.csv")
	env.Data.ContentType = cmp.Or(env.Data.ContentType, "text/csv")
	return &env.Data, nil
}

// queryValues returns the options as the service takes them.
func (o ListOptions) queryValues() url.Values {
	q := url.Values{}
	if o.Limit > 0 {
		q.Set("limit", strconv.Itoa(o.Limit))
	}
	if o.Cursor != "" {
		q.Set("cursor", o.Cursor)
	}
	if o.Direction != "" {
		q.Set("direction", string(o.Direction))
	}
	return q
}

// ListWalk is how far a list was read, page by page.
type ListWalk struct {
	Read          int // rows
	empty, unread int
	seen          map[string]bool // cursors
}

// missingRows says what is missing of a list of so many rows that ends; "" for nothing.
func (w *ListWalk) missingRows(total int) string {
	switch {
	case w.unread > 0:
		return fmt.Sprintf("%d more could not be read", w.unread)
	case total > w.Read:
		return fmt.Sprintf("the service has %d", total)
	}
	return ""
}

// Bounds of a walk through a list that does not end by itself.
const maxEmptyPages = 20

// ContinueWalk takes the page, of which so many rows are new, and returns the cursor of
// the next one, "" at the end of the list. The error is an [*IncompleteError] where the
// list does not come to an end, or breaks off.
func (p *Page[T]) ContinueWalk(w *ListWalk, fresh int) (next string, err error) {
	rest := Page[struct{}]{
		NextCursor:  p.NextCursor,
		HasNextPage: p.HasNextPage,
		Total:       p.Total,
		Unread:      p.Unread,
	}
	return w.takePage(rest, len(p.Items), fresh)
}

// takePage continues a walk with what a page has beside so many rows.
func (w *ListWalk) takePage(p Page[struct{}], rows, fresh int) (next string, err error) {
	w.Read, w.unread = w.Read+fresh, w.unread+p.Unread
	if w.empty++; rows > 0 {
		w.empty = 0
	}
	if p.NextCursor != nil {
		next = *p.NextCursor
	}
	fault := ""
	switch {
	case !p.HasNextPage:
		next, fault = "", w.missingRows(p.Total)
	case next == "":
		fault = "the service sent no cursor for the next page"
	case w.seen[next], fresh == 0 && rows > 0:
		fault = "the service repeats a page"
	case w.empty >= maxEmptyPages:
		fault = fmt.Sprintf("%d pages in a row were empty", w.empty)
	}
	if fault != "" {
		return "", &IncompleteError{Read: w.Read, Reason: fault}
	}
	if w.seen == nil {
		w.seen = map[string]bool{}
	}
	w.seen[next] = true
	return next, nil
}

// ListAll yields all of a list as [WalkList] does.
func ListAll[T any](ctx context.Context, c *Connection, op Operation, limit int) iter.Seq2[*T, error] {
	return WalkList(ctx, limit, func(ctx context.Context, opts ListOptions) (*Page[T], error) {
		return CallPage[T](ctx, c, op, opts)
	})
}

// WalkList yields all of a list, which it reads by its cursors in pages of a limit; 0
// leaves that to the service. It stops after the first error, which it yields. A list
// that does not come to an end, or breaks off, ends the walk with an
// [*IncompleteError].
func WalkList[T any](
	ctx context.Context, limit int, page func(context.Context, ListOptions) (*Page[T], error),
) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		opts, walk := ListOptions{Limit: limit}, ListWalk{}
		pages := map[string]bool{} // by the ids of their first and last record
		for {
			p, err := page(ctx, opts)
			if err != nil {
				yield(nil, err)
				return
			}
			fresh := len(p.Items)
			if p.HasNextPage && pages[p.ends] {
				fresh = 0
			}
			pages[p.ends] = strings.TrimSpace(p.ends) != ""
			opts.Cursor, err = p.ContinueWalk(&walk, fresh)
			for i := range fresh {
				if !yield(&p.Items[i], nil) {
					return
				}
			}
			if err != nil {
				yield(nil, err)
			}
			if opts.Cursor == "" {
				return
			}
		}
	}
}
