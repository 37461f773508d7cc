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

// bareAnswer answers a value without the envelope.
func bareAnswer(v any) (handlerAnswer, error) {
	body, err := marshalAnswer(v)
	return handlerAnswer{file: &fileAnswer{mediaType: "application/json", content: body}}, err
}

// fileSelection is the body of a read.
type fileSelection struct {
	status api.RecordStatus
	kinds  []api.Deliverable // nil: not given
	limit  int
	page   int
	any    bool // a member was given
}

// selectedMembers says which members a read takes.
type selectedMembers struct {
	status, pages bool
	kinds         int // how many values of fileDataType
}

// readSelection reads the body of a read, which may be absent.
func (x *exchange) readSelection(takes selectedMembers) (fileSelection, error) {
	body, err := x.readBody()
	if err != nil || len(body) == 0 {
		return fileSelection{limit: defaultRecordLimit}, err
	}
	return readSelection(body, takes)
}

func readSelection(body []byte, takes selectedMembers) (sel fileSelection, err error) {
	sel.limit = defaultRecordLimit
	err = readJSON(body, nil, func(r *bodyReader) error {
		given := func(read func() error) func() error {
			return func() error {
				sel.any = true
				return read()
			}
		}
		members := []bodyMember{{"fileDataType", given(func() error { return r.readProducts(takes.kinds, &sel.kinds) })}}
		if takes.status {
			members = append(members, bodyMember{"status", given(func() error { return readChoice(r, api.RecordStatuses(), &sel.status) })})
		}
		if takes.pages {
			members = append(members,
				bodyMember{"limit", given(func() error { return r.readWhole(1, api.MaxPageLimit, &sel.limit) })},
				bodyMember{"page", given(func() error { return r.readWhole(0, math.MaxInt32, &sel.page) })},
			)
		}
		return r.objectWith(nil, members)
	})
	return sel, err
}

// readProducts reads a fileDataType. An empty list chooses as none does.
func (r *bodyReader) readProducts(most int, into *[]api.Deliverable) error {
	n, err := readChoices(r, api.DeliveryProducts(), into)
	if n > most {
		r.noteFault("has %d values; the limit is %d", n, most)
	}
	if n == 0 {
		*into = nil
	}
	return err
}

func (h *legacyHandlers) decideQuote(x *exchange) (handlerAnswer, error) {
	quote, err := h.domain.Quotes.Find(x.r.Context(), x.caller, x.r.PathValue("orderId"), x.r.PathValue("quoteId"))
	if err != nil {
		return handlerAnswer{}, err
	}
	body, err := x.readBody()
	if err != nil {
		return handlerAnswer{}, err
	}
	want, err := readDecision(body)
	if err != nil {
		return handlerAnswer{}, err
	}
	if quote, err = h.domain.Quotes.Decide(x.r.Context(), x.caller, quote.UUID, want); err != nil {
		return handlerAnswer{}, err
	}
	return bareAnswer(struct {
		Status       string    `json:"status"`
		QuoteDetails api.Quote `json:"quoteDetails"`
	}{"Quote " + string(want), wireQuote(quote)})
}

// readDecision reads what becomes of a quote.
func readDecision(body []byte) (want api.QuoteStatus, err error) {
	words := map[string]api.QuoteStatus{"accept": api.QuoteAccepted, "reject": api.QuoteRejected}
	err = readJSON(body, nil, func(r *bodyReader) error {
		return r.readObject(bodyMember{"status", func() error {
			var word string
			err := readChoice(r, []string{"accept", "reject"}, &word)
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

func (l *bareList) addRow(v any) error {
	return l.addText(func(b []byte) ([]byte, error) {
		item, err := marshalAnswer(v)
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
		err = l.flushRows()
	}
	return err
}

// errClientGone ends an answer that nobody takes any more.
var errClientGone = errors.New("the client disconnected")

func (l *bareList) flushRows() error {
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

// endList ends the list. What fails after its beginning has gone out breaks the
// connection: half a list must not look whole.
func (l *bareList) endList(err error) (handlerAnswer, error) {
	switch {
	case hasGone(err):
		return handlerAnswer{}, err
	case err != nil && l.begun:
		panic(fmt.Errorf("a list is incomplete: %w", err))
	case err != nil:
		return handlerAnswer{}, err
	case len(l.body) == 0 && !l.begun:
		l.body = []byte{'['}
	}
	l.body = append(l.body, ']')
	if !l.begun {
		return handlerAnswer{file: &fileAnswer{mediaType: "application/json", content: l.body}}, nil
	}
	return handlerAnswer{sent: true}, l.flushRows()
}

// shownFiles says which files a record shows.
type shownFiles struct {
	allowed bool              // the key may see files
	kinds   []api.Deliverable // nil: no fileDataType was given
}

func (x *exchange) shownFilesOf(sel fileSelection) shownFiles {
	return shownFiles{allowed: x.caller.HasScope(api.ScopeFilesRead), kinds: sel.kinds}
}

// showsKind says whether a kind of file is shown where the base files always are
// without a fileDataType.
func (v shownFiles) showsKind(kind api.Deliverable) bool {
	return v.allowed && (v.kinds == nil || slices.ContainsFunc(v.kinds, func(k api.Deliverable) bool { return k.IsSameProduct(kind) }))
}

func (h *legacyHandlers) getRecord(x *exchange) (handlerAnswer, error) {
	order, err := h.domain.Records.Order(x.r.Context(), x.caller, x.r.PathValue("id"))
	if err != nil {
		return handlerAnswer{}, err
	}
	sel, err := x.readSelection(selectedMembers{kinds: math.MaxInt})
	if err != nil {
		return handlerAnswer{}, err
	}
	r, err := h.domain.Records.RecordOf(x.r.Context(), order)
	if err != nil {
		return handlerAnswer{}, err
	}
	return bareAnswer(h.wholeRecord(x, x.caller.Account, r, x.shownFilesOf(sel)))
}

func (h *legacyHandlers) listRecords(x *exchange) (handlerAnswer, error) {
	sel, err := x.readSelection(selectedMembers{status: true, pages: true, kinds: math.MaxInt})
	if err != nil {
		return handlerAnswer{}, err
	}
	list := &bareList{x: x}
	view := x.shownFilesOf(sel)
	each := h.addRecord(x, list, view)
	if sel.any {
		page := domain.RecordPage{Status: sel.status, Limit: sel.limit, Page: sel.page}
		return list.endList(h.domain.Records.List(x.r.Context(), x.caller, page, each))
	}
	return list.endList(h.domain.Records.All(x.r.Context(), x.caller, each))
}
