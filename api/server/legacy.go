package server

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"

	"flightdesk/api"
	"flightdesk/api/server/internal/domain"
)

// defaultRecordLimit is a page's size in the v2 API.
const defaultRecordLimit = 10

// bare answers a value without the envelope.
func bare(v any) (answer, error) {
	body, err := marshal(v)
	return answer{file: &file{mediaType: "application/json", content: body}}, err
}

// selection is the body of a read.
type selection struct {
	status api.RecordStatus
	kinds  []api.Deliverable // nil: not given
	limit  int
	page   int
	any    bool // a member was given
}

// selected says which members a read takes.
type selected struct {
	status, pages bool
	kinds         int // how many values of fileDataType
}

// readSelection reads the body of a read, which may be absent.
func (x *exchange) readSelection(takes selected) (selection, error) {
	body, err := x.readBody()
	if err != nil || len(body) == 0 {
		return selection{limit: defaultRecordLimit}, err
	}
	return readSelection(body, takes)
}

func readSelection(body []byte, takes selected) (sel selection, err error) {
	sel.limit = defaultRecordLimit
	err = readJSON(body, nil, func(r *reader) error {
		given := func(read func() error) func() error {
			return func() error {
				sel.any = true
				return read()
			}
		}
		members := []member{{"fileDataType", given(func() error { return r.products(takes.kinds, &sel.kinds) })}}
		if takes.status {
			members = append(members, member{"status", given(func() error { return choice(r, api.RecordStatuses(), &sel.status) })})
		}
		if takes.pages {
			members = append(members,
				member{"limit", given(func() error { return r.whole(1, api.MaxPageLimit, &sel.limit) })},
				member{"page", given(func() error { return r.whole(0, math.MaxInt32, &sel.page) })},
			)
		}
		return r.objectWith(nil, members)
	})
	return sel, err
}

// products reads a fileDataType. An empty list chooses as none does.
func (r *reader) products(most int, into *[]api.Deliverable) error {
	n, err := choices(r, api.DeliveryProducts(), into)
	if n > most {
		r.fault("has %d values; the limit is %d", n, most)
	}
	if n == 0 {
		*into = nil
	}
	return err
}

func (h *legacy) decideQuote(x *exchange) (answer, error) {
	quote, err := h.domain.Quotes.Find(x.r.Context(), x.caller, x.r.PathValue("orderId"), x.r.PathValue("quoteId"))
	if err != nil {
		return answer{}, err
	}
	body, err := x.readBody()
	if err != nil {
		return answer{}, err
	}
	want, err := readDecision(body)
	if err != nil {
		return answer{}, err
	}
	if quote, err = h.domain.Quotes.Decide(x.r.Context(), x.caller, quote.UUID, want); err != nil {
		return answer{}, err
	}
	return bare(struct {
		Status       string    `json:"status"`
		QuoteDetails api.Quote `json:"quoteDetails"`
	}{"Quote " + string(want), wireQuote(quote)})
}

// readDecision reads what becomes of a quote.
func readDecision(body []byte) (want api.QuoteStatus, err error) {
	words := map[string]api.QuoteStatus{"accept": api.QuoteAccepted, "reject": api.QuoteRejected}
	err = readJSON(body, nil, func(r *reader) error {
		return r.object(member{"status", func() error {
			var word string
			err := choice(r, []string{"accept", "reject"}, &word)
			want = words[word]
			return err
		}})
	})
	return want, err
}

// bareList writes a JSON list without the envelope. A short one goes out at
// once, with its length; of a long one no more than a part is in memory.
type bareList struct {
	x     *exchange
	body  []byte
	begun bool // a part has gone out
}

// listPart is how much of a list goes out in one part, in bytes.
const listPart = 64 << 10

func (l *bareList) add(v any) error {
	return l.addText(func(b []byte) ([]byte, error) {
		item, err := marshal(v)
		return append(b, item...), err
	})
}

// addText adds what is appended to the list. After an error there is no more of
// it, see [bareList.end].
func (l *bareList) addText(item func([]byte) ([]byte, error)) (err error) {
	separator := byte(',')
	if !l.begun && len(l.body) == 0 {
		separator = '['
	}
	if l.body, err = item(append(l.body, separator)); err == nil && len(l.body) >= listPart {
		err = l.flush()
	}
	return err
}

// errClientGone ends an answer that nobody takes any more.
var errClientGone = errors.New("the client disconnected")

func (l *bareList) flush() error {
	w := &fileWriter{x: l.x}
	if !l.begun {
		header := w.Header()
		header.Set("Content-Type", "application/json")
		header.Set("Cache-Control", "no-store")
		header.Set("X-Content-Type-Options", "nosniff")
		w.WriteHeader(http.StatusOK)
		l.begun = true
	}
	if _, err := w.Write(l.body); err != nil {
		return fmt.Errorf("%w: %w", errClientGone, err)
	}
	l.body = l.body[:0]
	return nil
}

// end ends the list. What fails after its beginning has gone out breaks the
// connection: half a list must not look whole.
func (l *bareList) end(err error) (answer, error) {
	switch {
	case hasGone(err):
		return answer{}, err
	case err != nil && l.begun:
		panic(fmt.Errorf("a list is incomplete: %w", err))
	case err != nil:
		return answer{}, err
	case len(l.body) == 0 && !l.begun:
		l.body = []byte{'['}
	}
	l.body = append(l.body, ']')
	if !l.begun {
		return answer{file: &file{mediaType: "application/json", content: l.body}}, nil
	}
	return answer{sent: true}, l.flush()
}

// shown says which files a record shows.
type shown struct {
	allowed bool              // the key may see files
	kinds   []api.Deliverable // nil: no fileDataType was given
}

func (x *exchange) shown(sel selection) shown {
	return shown{allowed: x.caller.Has(api.ScopeFilesRead), kinds: sel.kinds}
}

// has says whether a kind of file is shown where the base files always are
// without a fileDataType.
func (v shown) has(kind api.Deliverable) bool {
	return v.allowed && (v.kinds == nil || slices.ContainsFunc(v.kinds, func(k api.Deliverable) bool { return k.IsSameProduct(kind) }))
}

func (h *legacy) getRecord(x *exchange) (answer, error) {
	order, err := h.domain.Records.Order(x.r.Context(), x.caller, x.r.PathValue("id"))
	if err != nil {
		return answer{}, err
	}
	sel, err := x.readSelection(selected{kinds: math.MaxInt})
	if err != nil {
		return answer{}, err
	}
	r, err := h.domain.Records.Of(x.r.Context(), order)
	if err != nil {
		return answer{}, err
	}
	return bare(h.wholeRecord(x, x.caller.Account, r, x.shown(sel)))
}

func (h *legacy) listRecords(x *exchange) (answer, error) {
	sel, err := x.readSelection(selected{status: true, pages: true, kinds: math.MaxInt})
	if err != nil {
		return answer{}, err
	}
	list := &bareList{x: x}
	view := x.shown(sel)
	each := h.addRecord(x, list, view)
	if sel.any {
		page := domain.RecordPage{Status: sel.status, Limit: sel.limit, Page: sel.page}
		return list.end(h.domain.Records.List(x.r.Context(), x.caller, page, each))
	}
	return list.end(h.domain.Records.All(x.r.Context(), x.caller, each))
}
