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

// unknown follows values that are not known here: they are shown unchanged.
const unknown = "?"

//go:embed words.tsv
var table string

// wireValue is a value of the wire; of a status with the name of its type.
type wireValue struct{ kind, value string }

var looks = readTable(table)

// toneNames are the tones as the table names them.
var toneNames = strings.Fields("text muted accent pending attention progress good bad")

// readTable reads the lines of words.tsv.
func readTable(text string) map[wireValue]StatusLook {
	all := map[wireValue]StatusLook{}
	for line := range strings.Lines(text) {
		if f := append(strings.Split(strings.TrimSpace(line), "\t"), "", "text", ""); len(f) > 5 {
			all[wireValue{f[3], f[0]}] = StatusLook{f[5], Tone(slices.Index(toneNames, f[4])), f[1], f[2]}
		}
	}
	return all
}

// findLook returns what the table has of a value with its type.
func findLook[T ~string](v T) (look StatusLook, ok bool) {
	look, ok = looks[wireValue{reflect.TypeFor[T]().Name(), string(v)}]
	return look, ok
}

// Word says a value of the wire.
func Word[T ~string](v T) StatusLook {
	look, ok := findLook(v)
	if !ok {
		look, ok = looks[wireValue{"", string(v)}]
	}
	switch {
	case ok:
		return look
	case v == "":
		return StatusLook{Label: None}
	}
	return StatusLook{Label: unknown + " " + string(v)}
}

// Option is a value that can be chosen.
type Option struct {
	Value, Label, Help string

	Fixed bool // it is always chosen
	Quiet bool // its value means nothing to people
}

// WordOptions returns values of the wire to choose from.
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

// PlainTexts returns wire values as texts.
func PlainTexts[T ~string](values []T) []string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = string(v)
	}
	return texts
}

// WordList says values one after the other.
func WordList[T ~string](values []T) string {
	labels := make([]string, len(values))
	for i, v := range values {
		labels[i] = Word(v).Label
	}
	return strings.Join(labels, ", ")
}

// ExplainError says what an error of the service means and what to do about it.
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

// connectionAdvice says what to do about a request without a response.
func connectionAdvice(lost *api.TransportError) string {
	switch {
	case api.IsCertificateError(lost):
		return "Set ca_file in the profile to the certificate of its authority (PEM), or correct the address."
	case lost.Sent && !lost.Timeout():
		return ""
	}
	return "Check that the service is running and the address is correct."
}

// FaultText returns what went wrong and what to do about it, in a line.
func FaultText(err error) string {
	what, advice := ExplainError(err)
	return strings.TrimSpace(strings.TrimSuffix(what, ".") + ". " + advice)
}

// explainRefusal says what an answer of the service means that is an error.
func explainRefusal(e *api.Error) (what, advice string) {
	switch {
	case e.Code == api.CodeKeyRevoked || e.Code == api.CodeKeyExpired:
		return asSentence(e.Message), "Replace it in the profile's credential."
	case e.Status == http.StatusUnauthorized:
		return "API key rejected: " + e.Message, "It may be mistyped, expired or revoked; check the profile's credential."
	case e.Code == api.CodeLinkExpired:
		return asSentence(e.Message), ""
	case e.Code == api.CodeMissingScope || e.Status == http.StatusForbidden && e.Code == "":
		return "Not permitted: " + e.Message, "Use a key with this scope or another profile."
	case e.Status == http.StatusForbidden:
		return "Not in this account: " + e.Message, "Switch to the account's profile."
	case e.Status == http.StatusAccepted:
		return "The service is still working on it (HTTP 202).", ""
	case e.Foreign:
		what = fmt.Sprintf("Unexpected response: %s (HTTP %d)", e.Message, e.Status)
		return what, "Check base_url; a proxy or login page may have answered."
	case len(e.Fields) > 0:
		return Count(len(e.Fields), "value") + " rejected: " + e.Message, ""
	case e.RequestID != "":
		advice = "Request ID for support: " + e.RequestID
	}
	return fmt.Sprintf("%s (HTTP %d)", asSentence(e.Message), e.Status), advice
}

func asSentence(s string) string {
	return CapitalizeFirst(cmp.Or(s, "unexpected error"))
}

// Tone is what a text means; a theme gives each tone one colour everywhere.
type Tone int

// The tones.
const (
	Text       Tone = iota // everything read
	Muted                  // labels, ages, rows that are off, ended states
	Accent                 // focus, keys, links, what is chosen
	Pending                // the service has the ball
	Attention              // the user must decide; warnings
	InProgress             // on its way
	Good                   // done, verified
	Bad                    // failed, refused, late
	Tones                  // their number
)

// DescribeFileFault returns what is wrong with a file or folder, without its path.
func DescribeFileFault(err error) string {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		err = at.Err
	}
	if link, ok := errors.AsType[*os.LinkError](err); ok {
		err = link.Err
	}
	if errors.Is(err, fs.ErrNotExist) {
		return "no such folder"
	}
	return err.Error()
}

// StatusLook is how a status is shown: one glyph, one tone and one label everywhere.
type StatusLook struct {
	Glyph       string
	Role        Tone
	Label       string // Awaiting operator
	Description string // a phrase that follows the label
}

// StatusLabel is a status with how it is shown.
type StatusLabel struct {
	StatusLook
	Wire string // as the service sends it: awaitingPilot
}

// QuoteCounts is what is known of the quotes of an order.
type QuoteCounts string

// The states of an order's quotes.
const (
	QuotesUnread  QuoteCounts = ""        // not known
	QuotesNone    QuoteCounts = "none"    // none is open
	QuotesReady   QuoteCounts = "ready"   // one or more can be decided
	QuotesExpired QuoteCounts = "expired" // all open ones have expired
)

// In the v2 API the statuses of an order also say how its quotes are.
var recordStatuses = map[api.RecordStatus]QuoteCounts{
	api.RecordReviewing: QuotesNone, "inReview": QuotesNone, api.RecordQuoteReceived: QuotesReady,
}

// RecordLabel returns how the status of an order in the v2 API is shown.
func RecordLabel(s api.RecordStatus) StatusLabel {
	if look, ok := findLook(recordStatuses[s]); ok {
		return StatusLabel{look, string(s)}
	}
	return Status(api.OrderStatus(s))
}

// OrderState returns how an order's status is shown where its quotes may be known:
// the status alone does not say whether there are any.
func OrderState(s api.OrderStatus, quotes QuoteCounts) StatusLabel {
	if look, ok := findLook(quotes); ok && s == api.OrderBiddingWithQuote {
		return StatusLabel{look, string(s)}
	}
	return Status(s)
}

// QuoteLabel returns how the status of a quote is shown; an open one that has expired
// can no longer be decided.
func QuoteLabel(s api.QuoteStatus, expired bool) StatusLabel {
	if s == api.QuoteOpen && expired {
		return StatusLabel{StatusLook{"◇", Muted, "Expired", "cannot be decided"}, string(s)}
	}
	return Status(s)
}

// Status returns how a status is shown.
func Status[T ~string](v T) StatusLabel {
	st, ok := findLook(v)
	if !ok {
		st = StatusLook{
			Glyph:       unknown,
			Label:       string(v),
			Description: "not known to this version",
		}
	}
	if !ok && v == "" {
		st.Label, st.Description = None, "no status was sent"
	}
	return StatusLabel{st, string(v)}
}

type callbackOutcome string

// How callbacks fare.
var (
	Delivered = Status(callbackOutcome("success"))
	Sending   = Status(callbackOutcome("sending"))
	Failed    = Status(callbackOutcome("failed"))
	Missing   = Status(callbackOutcome("gap"))
)
