package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"flightdesk/api/ops"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/format"
)

// findCommand returns the command that finds an order, endpoint, request or other object by a code,
// ID or name, in all accounts.
func findCommand() *cobra.Command {
	cmd := newCommand(
		"find TEXT",
		"Find what a ticket names, in all accounts",
		`Finds what belongs to a text of a ticket, in all accounts, with the operations key: the code or ID of an order,
mission, quote, file, account, key, endpoint, callback or notice; a part of a company, contact, e-mail address or
endpoint address; the last four characters of a key; a request ID; or the name of a file. Capitals and accents make no
difference: koeln finds Köln. Exact matches come first; of each kind up to 20 are listed.

The exit status is 1 if nothing is found.`,
		`# the account of a mission
flightdesk find MSN-2001

# a company, or the host of an endpoint
flightdesk find nordlicht`,
	)
	cmd.Args = checkArguments(cmd.Use, cmd.Example)
	outputFlag(cmd, "table", "wide", "json", "csv")
	profileFlag(cmd)
	return defineCommand(cmd, func(c *Call) (err error) {
		if c.Service, err = c.NeedOps(); err != nil {
			return err
		}
		text := strings.Join(c.Args, " ")
		found, err := c.Ops.Requests.Find(c, text)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return fmt.Errorf("%q: nothing found; see flightdesk find --help for what can be found", format.Clean(text))
		}
		return printList(c, "match", columns.Found(), "kind name companyName orderCode missionCode uuid", listRows(found))
	})
}

// listRequests prints the requests of accounts. It needs a key of the operations API.
func listRequests(l *listing) (err error) {
	if l.Service, err = l.NeedOps(); err != nil {
		return err
	}
	since, err := parseSince(l.Since, l.Now())
	if err != nil {
		return err
	}
	var filter ops.RequestFilter
	if l.Of != "" {
		if filter, err = l.requestsOf(strings.TrimSpace(l.Of)); err != nil {
			return err
		}
	}
	filter.Since.Time = since
	filter.Failed = l.Status == failedRequests
	rows := l.Ops.Requests.All(l, filter)
	if status, err := strconv.Atoi(l.Status); err == nil {
		rows = filterRows(rows, func(r *ops.LoggedRequest) bool { return r.Status == status })
	}
	return printList(l.Call, "request", columns.LoggedRequests(),
		"at method path http code keyHint address durationMs", rows)
}

// failedRequests selects the requests that were answered with an error.
const failedRequests = "failed"

// requestsOf returns the filter for the requests of an account, about an order or a mission,
// with a key, or with a request ID.
func (l *listing) requestsOf(name string) (f ops.RequestFilter, err error) {
	if name == ops.NoAccount {
		return ops.RequestFilter{Account: ops.NoAccount}, nil
	}
	found, err := l.Ops.Requests.Find(l, name)
	if err != nil {
		return f, err
	}
	var filters []ops.RequestFilter
	var names []string
	for _, one := range found {
		next, ok := filterOf(name, one)
		if !ok || len(filters) > 0 && next == filters[len(filters)-1] {
			continue
		}
		filters = append(filters, next)
		names = append(names, fmt.Sprintf("%s %s (%s)", one.Kind, format.Clean(one.Name), one.UUID))
	}
	switch {
	case len(filters) == 0:
		return f, fmt.Errorf("--of %q matches nothing; use an order, a mission, a company, the ending of a key, "+
			"a request ID, or none for unknown keys", format.Clean(name))
	case len(filters) > 1:
		return f, errors.New(strconv.Quote(format.Clean(name)) + " matches " + names[0] + " and " + names[1] + "; use an ID")
	}
	return filters[0], nil
}

// filterOf returns the filter for the requests about a found object.
func filterOf(name string, one ops.Found) (f ops.RequestFilter, ok bool) {
	switch {
	case one.Kind == ops.FoundKey:
		f.Key = one.UUID
	case one.Kind == ops.FoundRequest:
		f.RequestID = name
	case one.MissionCode != "":
		f.About = one.MissionCode
	case one.Kind == ops.FoundOrder && one.OrderCode != "" && !isNameOf(name, one):
		return f, false // an order of a company of that name, whose account is not known by it
	case one.OrderCode != "":
		f.About = one.OrderCode
	default:
		f.Account = one.AccountUID
	}
	return f, true
}

// isNameOf reports whether a text is the code or ID of a found object.
func isNameOf(name string, one ops.Found) bool {
	return strings.EqualFold(name, one.UUID) || strings.HasSuffix(strings.ToUpper(one.OrderCode), strings.ToUpper(name))
}
