package format

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strings"

	"flightdesk/api"
)

// unknown is shown before a value of the API that this version does not know, as in "? newStatus".
const unknown = "?"

//go:embed words.tsv
var table string

// wireValue is a value of the API. kind is the name of its Go type if the value is a status, and otherwise
// "".
type wireValue struct{ kind, value string }

// displays maps each value in words.tsv to its label, description, tone and glyph.
var displays = readTable(table)

// toneNames are the names of the tones in words.tsv, in the order of the constants of [Tone].
var toneNames = strings.Fields("text muted accent pending attention progress good bad")

// readTable parses words.tsv. A row has a value, its label and its description. The row of a status
// also has the type of the status, its tone, and maybe its glyph.
func readTable(text string) map[wireValue]StatusDisplay {
	displays := map[wireValue]StatusDisplay{}
	for line := range strings.Lines(text) {
		columns := strings.Split(strings.TrimSpace(line), "\t")
		if len(columns) < 3 {
			continue
		}
		value := wireValue{value: columns[0]}
		display := StatusDisplay{Label: columns[1], Description: columns[2]}
		if len(columns) >= 5 {
			value.kind = columns[3]
			display.Role = Tone(slices.Index(toneNames, columns[4]))
		}
		if len(columns) >= 6 {
			display.Glyph = columns[5]
		}
		displays[value] = display
	}
	return displays
}

// findDisplay returns how a status is displayed, by its value and the name of its type. ok is false if words.tsv does
// not contain the status.
func findDisplay[T ~string](v T) (display StatusDisplay, ok bool) {
	display, ok = displays[wireValue{reflect.TypeFor[T]().Name(), string(v)}]
	return display, ok
}

// Word returns the label and the description of a value of the API. If the value is unknown, the label is the
// value after a question mark, as in "? newSensor". The label of "" is [None].
func Word[T ~string](v T) StatusDisplay {
	if display, ok := findDisplay(v); ok {
		return display
	}
	if display, ok := displays[wireValue{value: string(v)}]; ok {
		return display
	}
	if v == "" {
		return StatusDisplay{Label: None}
	}
	return StatusDisplay{Label: unknown + " " + string(v)}
}

// Option is a value that the user can choose.
type Option struct {
	Value, Label, Help string

	Fixed bool // the option is always chosen
	Quiet bool // Value is not shown to users
}

// WordOptions returns options for values of the API.
func WordOptions[T ~string](values []T) []Option {
	options := make([]Option, len(values))
	for i, v := range values {
		word := Word(v)
		options[i] = Option{
			Value: string(v),
			Label: word.Label,
			Help:  word.Description,
		}
	}
	return options
}

// PlainTexts converts values of the API to strings.
func PlainTexts[T ~string](values []T) []string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = string(v)
	}
	return texts
}

// WordList returns the labels of values, separated by commas.
func WordList[T ~string](values []T) string {
	labels := make([]string, len(values))
	for i, v := range values {
		labels[i] = Word(v).Label
	}
	return strings.Join(labels, ", ")
}

// ExplainError returns what an error of the service means and what the user can do.
func ExplainError(err error) (what, advice string) {
	if errors.Is(err, api.ErrNoLegacy) {
		return "Quotes and the library need the v2 API.", "Add legacy_base_url to the profile."
	}
	var lost *api.TransportError
	if errors.As(err, &lost) {
		return asSentence(lost.Reason()), connectionAdvice(lost)
	}
	var e *api.Error
	if !errors.As(err, &e) {
		return asSentence(err.Error()), ""
	}
	return explainRefusal(e)
}

// connectionAdvice returns what the user can do about a request without a response.
func connectionAdvice(lost *api.TransportError) string {
	if api.IsAuthorityUnknown(lost) {
		return "Set the CA file of the profile (ca_file) to the certificate of its authority (PEM), or correct the address."
	}
	if api.IsCertificateError(lost) {
		return "Correct the address, or ask whoever runs the service for a valid certificate."
	}
	if lost.Sent && !lost.Timeout() {
		return ""
	}
	return "Check that the service is running and the address is correct."
}

// FaultText returns in one line what an error means and what the user can do; see [ExplainError].
func FaultText(err error) string {
	what, advice := ExplainError(err)
	return strings.TrimSpace(strings.TrimSuffix(what, ".") + ". " + advice)
}

// explainRefusal returns what an error response of the service means, and what the user can do about it. It
// returns "" if the error is unknown. It checks the error code before the status, because the code is more
// specific. For example, missing_scope comes with the status 403, which only means "not permitted".
func explainRefusal(e *api.Error) (what, advice string) {
	switch {
	case e.Code == api.CodeKeyRevoked || e.Code == api.CodeKeyExpired:
		return asSentence(e.Message), "Replace it in the profile's credential."
	case e.Status == http.StatusUnauthorized && !e.Foreign:
		return explainUnauthorized(e.Message)
	case e.Code == api.CodeLinkExpired:
		return asSentence(e.Message), ""
	case e.Code == api.CodeMissingScope:
		return "Not permitted: " + e.Message, "Use a key with this scope or another profile."
	case e.Code == api.CodeNotYourResource:
		return "Not in this account: " + e.Message, "Switch to the account's profile."
	case e.Status == http.StatusAccepted:
		return "The service is still working on it (HTTP 202).", ""
	case e.Foreign:
		return explainForeign(e)
	case e.Status == http.StatusForbidden: // without a reason that is known
		return "Not permitted: " + e.Message, "Use another key or profile."
	case len(e.Fields) > 0:
		return Count(len(e.Fields), "value") + " rejected: " + e.Message, ""
	}
	if e.RequestID != "" {
		advice = "Request ID for support: " + e.RequestID
	}
	return fmt.Sprintf("%s (HTTP %d)", asSentence(e.Message), e.Status), advice
}

// explainUnauthorized explains a response with the status 401. message is the service's message,
// or "".
func explainUnauthorized(message string) (what, advice string) {
	what = "The service does not accept this key: it may be mistyped, expired or revoked."
	advice = "Check the profile's credential."
	if message != "" {
		advice += " The service says: " + message
	}
	return what, advice
}

// explainForeign explains a response that is not in the service's format.
func explainForeign(e *api.Error) (what, advice string) {
	what = fmt.Sprintf("Unexpected response: %s (HTTP %d)", e.Message, e.Status)
	if e.Status == http.StatusUnauthorized { // a service without the envelope may also answer this way
		return what, "Check base_url and the key; a proxy or login page may have answered."
	}
	return what, "Check base_url; a proxy or login page may have answered."
}

func asSentence(s string) string {
	return CapitalizeFirst(cmp.Or(s, "unexpected error"))
}

// Tone is the meaning of a text. A theme has one colour for each tone.
type Tone int

// The tones.
const (
	Text       Tone = iota // normal text
	Muted                  // labels, ages, disabled rows, ended states
	Accent                 // focus, keys, links, selection
	Pending                // waiting for the service
	Attention              // the user must decide; warnings
	InProgress             // running
	Good                   // done, verified
	Bad                    // failed, rejected, late
	Tones                  // number of tones
)

// DescribeFileFault describes an error of a file or folder without its path.
func DescribeFileFault(err error) string {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		err = pathErr.Err
	}
	if linkErr, ok := errors.AsType[*os.LinkError](err); ok {
		err = linkErr.Err
	}
	if errors.Is(err, fs.ErrNotExist) {
		return "no such folder"
	}
	return err.Error()
}

// StatusDisplay is how a status is displayed: its glyph, tone, label and description.
type StatusDisplay struct {
	Glyph       string
	Role        Tone
	Label       string // such as "Awaiting operator"
	Description string // a phrase that follows the label
}

// StatusLabel is a status and how it is displayed.
type StatusLabel struct {
	StatusDisplay
	Wire string // value of the API, such as awaitingPilot
}

// QuoteState is the state of an order's quotes.
type QuoteState string

// The states of an order's quotes.
const (
	QuotesUnread  QuoteState = ""        // unknown
	QuotesNone    QuoteState = "none"    // no open quotes
	QuotesReady   QuoteState = "ready"   // quotes that can be decided
	QuotesExpired QuoteState = "expired" // all open quotes have expired
)

// QuoteStateOf returns the state of an order's quotes. open is the number of quotes that can still be
// decided. expired is the number of quotes that have expired without a decision.
func QuoteStateOf(open, expired int) QuoteState {
	if open > 0 {
		return QuotesReady
	}
	if expired > 0 {
		return QuotesExpired
	}
	return QuotesNone
}

// recordStatuses are the statuses of the v2 API that imply the state of an order's quotes.
var recordStatuses = map[api.RecordStatus]QuoteState{
	api.RecordReviewing:     QuotesNone,
	"inReview":              QuotesNone,
	api.RecordQuoteReceived: QuotesReady,
}

// RecordLabel returns the label of an order status of the v2 API.
func RecordLabel(s api.RecordStatus) StatusLabel {
	if display, ok := findDisplay(recordStatuses[s]); ok {
		return StatusLabel{display, string(s)}
	}
	return Status(api.OrderStatus(s))
}

// RecordState returns the label of an order status of the v2 API. The service keeps the status quoteReceived
// after all quotes have expired. The label then says that the quotes have expired.
func RecordState(s api.RecordStatus, quotes QuoteState) StatusLabel {
	if s == api.RecordQuoteReceived && quotes == QuotesExpired {
		display, _ := findDisplay(quotes)
		return StatusLabel{display, string(s)}
	}
	return RecordLabel(s)
}

// OrderState returns the label of an order status. The status alone does not say whether
// the order has quotes.
func OrderState(s api.OrderStatus, quotes QuoteState) StatusLabel {
	if display, ok := findDisplay(quotes); ok && s == api.OrderBiddingWithQuote {
		return StatusLabel{display, string(s)}
	}
	return Status(s)
}

// MissionState returns the label of a mission's status. A mission has the status awaitingPilot even before a
// quote for its order is accepted. Until then, it has the label of the order.
func MissionState(mission api.MissionStatus, order api.OrderStatus, quotes QuoteState) StatusLabel {
	if mission == api.MissionAwaitingPilot && order == api.OrderBiddingWithQuote {
		return StatusLabel{OrderState(order, quotes).StatusDisplay, string(mission)}
	}
	return Status(mission)
}

// QuoteLabel returns the label of a quote status. An open quote that has expired is shown as expired, because
// it can no longer be decided.
func QuoteLabel(s api.QuoteStatus, expired bool) StatusLabel {
	if s == api.QuoteOpen && expired {
		return StatusLabel{StatusDisplay{"◇", Muted, "Expired", "cannot be decided"}, string(s)}
	}
	return Status(s)
}

// Status returns the label of a status.
func Status[T ~string](v T) StatusLabel {
	wire := string(v)
	if display, ok := findDisplay(v); ok {
		return StatusLabel{display, wire}
	}
	display := StatusDisplay{Glyph: unknown, Label: wire, Description: "not known to this version"}
	if wire == "" {
		display.Label = None
		display.Description = "no status was sent"
	}
	return StatusLabel{display, wire}
}

type callbackOutcome string

// The labels of callback outcomes.
var (
	Delivered = Status(callbackOutcome("success"))
	Sending   = Status(callbackOutcome("sending"))
	Failed    = Status(callbackOutcome("failed"))
	Missing   = Status(callbackOutcome("gap"))
)
