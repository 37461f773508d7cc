package server

import (
	"errors"
	"fmt"
	"net/http"
	"slices"

	"flightdesk/api"
)

// defaultRecordLimit is the default page size of the v2 API.
const defaultRecordLimit = 10

// bareAnswer answers with v as JSON, without the envelope that responses of the public API have.
func bareAnswer(v any) (handlerAnswer, error) {
	body, err := marshalAnswer(v)
	return handlerAnswer{file: &fileAnswer{mediaType: "application/json", content: body}}, err
}

// Request bodies of the read operations. The body and all its members are optional. An
// empty fileDataType selects every type.
type (
	recordBody struct {
		FileDataType []api.Deliverable `json:"fileDataType" check:"products"`
	}
	recordListBody struct {
		recordBody
		pageBody
		Status *api.RecordStatus `json:"status" check:"optional"`
	}
	datasetBody struct {
		FileDataType []api.Deliverable `json:"fileDataType" check:"filters"`
	}
	datasetListBody struct {
		datasetBody
		pageBody
	}
	pageBody struct {
		Limit *int `json:"limit" check:"limit"`
		Page  *int `json:"page" check:"page"`
	}
)

// chosen returns the page size and the page number that the client requested, or the defaults.
func (b pageBody) chosen() (limit, page int) {
	limit = defaultRecordLimit
	if b.Limit != nil {
		limit = *b.Limit
	}
	if b.Page != nil {
		page = *b.Page
	}
	return limit, page
}

// bareList writes a JSON list without the envelope that responses of the public API have. A short
// list is sent at once, with its length. A long list is sent in parts, so that it is never entirely
// in memory.
type bareList struct {
	x     *exchange
	body  []byte
	begun bool // a part was sent
}

// listPart is the number of bytes after which a part of a list is sent.
const listPart = 64 << 10

func (l *bareList) addRow(v any) error {
	return l.addText(func(b []byte) ([]byte, error) {
		item, err := marshalAnswer(v)
		return append(b, item...), err
	})
}

// addText adds an item. appendItem appends the JSON of the item to its argument. After an error no
// more items may be added, and the error must be passed to [bareList.endList].
func (l *bareList) addText(appendItem func([]byte) ([]byte, error)) error {
	separator := byte(',')
	if !l.begun && len(l.body) == 0 {
		separator = '['
	}
	body, err := appendItem(append(l.body, separator))
	l.body = body
	if err != nil {
		return err
	}
	if len(l.body) < listPart {
		return nil
	}
	return l.flushRows()
}

// errClientGone ends an answer whose client has disconnected.
var errClientGone = errors.New("the client disconnected")

// flushRows sends the items that were added since the last call. The first call also sends the HTTP
// headers.
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

// endList ends the list, or answers with err if it is not nil. If the first part was already
// sent, an error breaks the connection, so that the client notices that the list is
// incomplete.
func (l *bareList) endList(err error) (handlerAnswer, error) {
	if err != nil {
		if l.begun && !isDisconnected(err) {
			panic(fmt.Errorf("a list is incomplete: %w", err))
		}
		return handlerAnswer{}, err
	}
	isEmpty := !l.begun && len(l.body) == 0
	if isEmpty {
		l.body = []byte{'['}
	}
	l.body = append(l.body, ']')
	if !l.begun {
		return handlerAnswer{file: &fileAnswer{mediaType: "application/json", content: l.body}}, nil
	}
	return handlerAnswer{sent: true}, l.flushRows()
}

// shownFiles selects the files of an order or dataset to which the response has links.
type shownFiles struct {
	allowed bool              // the key may read files
	kinds   []api.Deliverable // types in the fileDataType of the request; nil selects all types
}

func (x *exchange) shownFilesOf(kinds []api.Deliverable) shownFiles {
	if len(kinds) == 0 {
		kinds = nil
	}
	return shownFiles{allowed: x.caller.HasScope(api.ScopeFilesRead), kinds: kinds}
}

// showsKind reports whether files of a type are shown. Without fileDataType all types are
// shown.
func (v shownFiles) showsKind(kind api.Deliverable) bool {
	if !v.allowed {
		return false
	}
	return v.kinds == nil || slices.ContainsFunc(v.kinds, kind.IsSameProduct)
}
