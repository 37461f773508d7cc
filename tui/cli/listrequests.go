package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"flightdesk/api/ops"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/format"
)

// listRequests prints the requests to the service. It needs a key of the operations API.
func listRequests(l *listing) error {
	service, err := l.call.RequireOps()
	if err != nil {
		return err
	}
	l.call.Service = service
	since, err := parseSince(l.Since, l.call.Service.Now())
	if err != nil {
		return err
	}
	filter, err := l.findRequestFilter(strings.TrimSpace(l.Of))
	if err != nil {
		return err
	}
	filter.Since.Time = since
	filter.Failed = l.Status == failedRequests
	rows := l.call.Service.Ops.Requests.All(l.call, filter)
	if status, err := strconv.Atoi(l.Status); err == nil { // an HTTP status, by which the service cannot filter
		rows = filterRows(rows, func(r *ops.LoggedRequest) bool { return r.Status == status })
	}
	return printFormattedRows(l.call, "request", columns.LoggedRequests(),
		"at method path http code keyHint address durationMs", rows)
}

// failedRequests is the value of --status that selects the requests with an error response.
const failedRequests = "failed"

// findRequestFilter returns the filter for the requests that --of selects. The name can belong to
// the account or the key that sent the requests, or to the order or mission that the requests are
// about. It can also be a request ID. The name "" selects all requests. If any other name belongs
// to none or to several of these objects, it returns an error.
func (l *listing) findRequestFilter(name string) (ops.RequestFilter, error) {
	none := ops.RequestFilter{}
	if name == "" {
		return none, nil
	}
	if name == ops.NoAccount {
		return ops.RequestFilter{Account: ops.NoAccount}, nil
	}
	found, err := l.call.Service.Ops.Requests.Find(l.call, name)
	if err != nil {
		return none, err
	}
	filters, labels := distinctFilters(name, found)
	if len(filters) == 0 {
		return none, fmt.Errorf("--of %q matches nothing; use an order, a mission, a company, the ending of a key, "+
			"a request ID, or none for unknown keys", format.Clean(name))
	}
	if len(filters) > 1 {
		return none, fmt.Errorf("%q matches %s and %s; use an ID", format.Clean(name), labels[0], labels[1])
	}
	return filters[0], nil
}

// distinctFilters returns a filter for each object that was found by the name. Objects with the same filter are
// included once. labels has the description of the object for each filter.
func distinctFilters(name string, found []ops.Found) (filters []ops.RequestFilter, labels []string) {
	for i := range found {
		match := &found[i]
		if isFoundByCompany(name, match) {
			continue // the name of a company means its account, not one of its orders
		}
		filter := requestFilterOf(name, match)
		if slices.Contains(filters, filter) {
			continue
		}
		filters = append(filters, filter)
		labels = append(labels, fmt.Sprintf("%s %s (%s)", match.Kind, format.Clean(match.Name), match.UUID))
	}
	return filters, labels
}

// isFoundByCompany reports whether a match is an order that was found by the name of its company, and not by
// its code or ID.
func isFoundByCompany(name string, match *ops.Found) bool {
	isAddress := strings.Contains(name, "://") // of a request about the order
	if isAddress {
		return false
	}
	if match.Kind != ops.FoundOrder || match.MissionCode != "" || match.OrderCode == "" {
		return false
	}
	isID := strings.EqualFold(name, match.UUID)
	isCode := strings.HasSuffix(strings.ToUpper(match.OrderCode), strings.ToUpper(name))
	return !isID && !isCode
}

// requestFilterOf returns the filter for the requests of an account or a key, the requests about an order or a
// mission, or a single request. match is the object that was found by the name.
func requestFilterOf(name string, match *ops.Found) ops.RequestFilter {
	switch {
	case match.Kind == ops.FoundKey:
		return ops.RequestFilter{Key: match.UUID}
	case match.Kind == ops.FoundRequest:
		return ops.RequestFilter{RequestID: name}
	case match.MissionCode != "":
		return ops.RequestFilter{About: match.MissionCode}
	case match.OrderCode != "":
		return ops.RequestFilter{About: match.OrderCode}
	default:
		return ops.RequestFilter{Account: match.AccountUID}
	}
}
