package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"regexp"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/tui/app/changes"
	"flightdesk/tui/format"
)

// The exit statuses.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitUnconfirmed = 75 // a change was sent and is not confirmed; EX_TEMPFAIL in sysexits.h
	exitInterrupted = 130
)

// usageError is an error in the flags or arguments of a command.
type usageError struct {
	Command string // the command whose help the message refers to
	Err     error
}

func (e *usageError) Error() string {
	text := e.Err.Error()
	if strings.HasSuffix(text, "?") {
		return text // the text already suggests another command
	}
	return text + "; see " + e.Command + " --help"
}

// wrongUsage returns a usageError of the running command with a formatted message.
func wrongUsage(format string, args ...any) error { return badUsage(fmt.Errorf(format, args...)) }

// badUsage returns err as a usageError of the running command.
func badUsage(err error) error { return &usageError{Err: err} }

// setUsageCommand sets the command of a usageError, unless the error has a command already. It does nothing
// for other errors.
func setUsageCommand(err error, cmd *cobra.Command) {
	usage, isUsage := errors.AsType[*usageError](err)
	if isUsage && usage.Command == "" {
		usage.Command = cmd.CommandPath()
	}
}

// reportError prints the error of a command as one line and returns the exit status. If the command
// was interrupted, it prints whether a change was sent.
func reportError(i *interruption, stderr io.Writer, err error) int {
	i.End()
	if err == nil {
		return exitDone
	}
	if i.hasCaused(err) {
		fmt.Fprintln(stderr, format.Clean(i.describeOutcome(err)))
		return i.exitStatus()
	}
	if usage, ok := errors.AsType[*usageError](err); ok {
		fmt.Fprintln(stderr, format.Clean(hideURLUser(usage.Error())))
		return exitUsage
	}
	text := errorText(err)
	if advice := adviceFor(err); advice != "" {
		text += "; " + advice
	}
	line := strings.ReplaceAll(text, "\n", "; ") // joined errors are on separate lines
	fmt.Fprintln(stderr, format.Clean(hideURLUser(line)))
	if _, isUnconfirmed := errors.AsType[*changes.UnconfirmedError](err); isUnconfirmed {
		return exitUnconfirmed
	}
	return exitFailed
}

// urlUser matches the user and the password of a URL, also of an invalid one.
var urlUser = regexp.MustCompile(`://\S*@`)

// hideURLUser returns a text without the users and passwords of the URLs in it: "smtp://desk:secret@mail.example"
// becomes "smtp://•••@mail.example".
func hideURLUser(text string) string { return urlUser.ReplaceAllString(text, "://•••@") }

// errorText returns the text of an error for the user. For an error of a file, the text has the path, what is wrong
// and what to do. If something was not found, the text ends with the list command that shows valid names. The advice
// for other responses and for connections is not in the text; see adviceFor.
func errorText(err error) string {
	text := err.Error()
	response, isResponse := errors.AsType[*api.Error](err)
	if isResponse && response.Code == api.CodeNotFound {
		text = notFoundText(text, response)
	}
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		plain := pathErr.Path + ": " + explainFileError(pathErr).Error()
		text = strings.Replace(text, pathErr.Error(), plain, 1)
	}
	if linkErr, ok := errors.AsType[*os.LinkError](err); ok { // of renaming a file
		plain := linkErr.New + ": " + explainFileError(linkErr).Error()
		text = strings.Replace(text, linkErr.Error(), plain, 1)
	}
	return text + listCommandAdvice(text)
}

// listCommandAdvice returns the list command that shows valid names, for a text that ends with "order not found" or
// another object that was not found. It returns "" for other texts.
func listCommandAdvice(text string) string {
	for _, kind := range []string{"order", "mission", "endpoint", "dataset", "record"} {
		if strings.HasSuffix(text, " "+kind+" not found") {
			return "; flightdesk list " + kind + "s shows those of the profile"
		}
	}
	return ""
}

// notFoundText returns the text of an error without the HTTP status of a "not found" response: "get order: order not
// found (HTTP 404)" becomes "get order: order not found". An error that wraps the response already says what was not
// found, so its text also loses the name of the call: "ORD-1: get order: order not found (HTTP 404)" becomes
// "ORD-1: order not found".
func notFoundText(text string, response *api.Error) string {
	plain := response.Message
	isWrapped := text != response.Error()
	if !isWrapped {
		plain = response.Op + ": " + plain
	}
	return strings.Replace(text, response.Error(), plain, 1)
}

// advisedError is an error whose text ends with what the user can do about it.
type advisedError struct {
	Err    error
	Advice string
}

func (e *advisedError) Error() string { return e.Err.Error() + "; " + e.Advice }

// Unwrap returns the error without the advice.
func (e *advisedError) Unwrap() error { return e.Err }

// adviceFor returns what the user can do about an error of the service or of the connection to it. It returns "" for
// other errors, and for an error that already has advice.
func adviceFor(err error) string {
	if _, isAdvised := errors.AsType[*advisedError](err); isAdvised {
		return ""
	}
	if _, isUnconfirmed := errors.AsType[*changes.UnconfirmedError](err); isUnconfirmed {
		return "check before retrying"
	}
	if lost, ok := errors.AsType[*api.TransportError](err); ok {
		return adviceForConnection(lost)
	}
	response, ok := errors.AsType[*api.Error](err)
	if !ok {
		return ""
	}
	if response.Foreign && response.Status < http.StatusBadRequest {
		return "" // a success or redirect in a wrong format; its message already says to check the address
	}
	if response.Foreign {
		return "a proxy or login page may have answered; check the address"
	}
	if response.Status == http.StatusUnauthorized {
		return "check the key"
	}
	if response.Code == api.CodeMissingScope {
		return "use a key with this scope, or another profile"
	}
	return ""
}

// adviceForConnection returns what the user can do about a request without a response.
func adviceForConnection(lost *api.TransportError) string {
	if api.IsAuthorityUnknown(lost) {
		return "set ca_file in the profile to the certificate of its authority, or check the address"
	}
	if api.IsCertificateError(lost) {
		return "check the address, or ask whoever runs the service for a valid certificate"
	}
	if api.MaybeApplied(lost) {
		return "check before retrying"
	}
	if lost.Sent {
		return "run the command again"
	}
	if lost.Proxy != "" {
		return "" // the text already names the variables of the proxy
	}
	return "check that the service is running and the address is correct"
}

// explainFileError returns an error of reading or writing a file with advice for the user. The error does not
// contain the path of the file, which the caller adds.
func explainFileError(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return errors.New("file not found")
	}
	if errors.Is(err, fs.ErrPermission) {
		return errors.New("permission denied; check the permissions of the file and its folder")
	}
	if errors.Is(err, syscall.EISDIR) {
		return errors.New("is a folder; name a file in it")
	}
	if errors.Is(err, syscall.ENOTDIR) {
		return errors.New("not a folder; use another path")
	}
	if errors.Is(err, syscall.ENOSPC) {
		return errors.New("disk full; free some space")
	}
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		return pathErr.Err
	}
	if linkErr, ok := errors.AsType[*os.LinkError](err); ok {
		return linkErr.Err
	}
	return err
}

// prefixError returns an error with a name in front, or nil if the error is nil.
func prefixError(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", name, err)
}

// isUnavailable reports whether an error means that the service does not have the v2 API, or that the key may not use
// it.
func isUnavailable(err error) bool {
	return isMissingAPI(err) || api.IsStatus(err, http.StatusUnauthorized, http.StatusForbidden)
}

// isMissingAPI reports whether an error means that the service does not have the v2 API.
func isMissingAPI(err error) bool {
	return api.IsStatus(err, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusGone,
		http.StatusNotImplemented)
}

// explainUnavailable returns an error for the user. If err means that the service does not have the v2 API, the
// text says that the given feature of the API, such as "quotes", is not available. Other errors are unchanged.
func explainUnavailable(feature string, err error) error {
	if isMissingAPI(err) {
		return fmt.Errorf("%s are not available here: %w", feature, err)
	}
	return err
}

// unconfirmedAdvice ends the error of a change whose response was lost.
const unconfirmedAdvice = "the change may have been applied; check before retrying"
