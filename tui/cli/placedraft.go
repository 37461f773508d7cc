package cli

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/format"
)

// composeOrders reads the survey files in the arguments and composes orders from their sites, in the same
// way as the app. If something prevents an order, the error lists all reasons.
func composeOrders(
	c *Call, fields map[string][]string, company string, now time.Time, f placeFlags,
) ([]ordering.OrderPart, error) {
	surveys, err := readSurveys(c)
	if err != nil {
		return nil, err
	}
	draft := ordering.ComposeDraft(surveys, fields, company, fieldText(fields, countryField))
	orders := draft.PrepareOrders(now)
	kind := api.OrderType(fieldText(fields, "orderType"))
	if kind != "" {
		for i := range orders {
			orders[i].Request.Order.OrderType = kind
		}
	}
	faults := findDraftFaults(draft, kind, now, f.Partial)
	faults = append(faults, reportPastDates(c, draft, now, f)...)
	if len(faults) > 0 {
		return nil, errors.New("cannot place the order: " + strings.Join(faults, "; "))
	}
	return orders, nil
}

// reportPastDates returns a fault for each date of a draft that is in the past. With --allow-past or --dry-run
// these dates are allowed: it prints them as warnings, and returns no faults.
func reportPastDates(c *Call, draft *ordering.Draft, now time.Time, f placeFlags) []string {
	isAllowed := f.DryRun || f.Past
	var faults []string
	for _, past := range draft.FindPastDates(now) {
		if isAllowed {
			fmt.Fprintln(c.Stderr(), past.FaultText())
		} else {
			faults = append(faults, past.FaultText()+"; correct it, or place the order with --allow-past")
		}
	}
	return faults
}

// readSurveys reads the files in the arguments and prints their warnings.
func readSurveys(c *Call) ([]ordering.FileRead, error) {
	var surveys []ordering.FileRead
	for _, path := range c.Args {
		found, err := readSurvey(c, path)
		if found != nil {
			printWarnings(c.Stderr(), fileLabel(path), found.Warnings)
		}
		if err != nil {
			return nil, failWithQuestions(c, found, err)
		}
		printAlternatives(c.Stderr(), fileLabel(path), found.Questions)
		surveys = append(surveys, ordering.FileRead{Path: path, Result: found})
	}
	return surveys, nil
}

// findDraftFaults returns the reasons that prevent an order: missing and invalid fields, several sites for
// an order of a single location, and unreadable sites unless partial is set.
func findDraftFaults(draft *ordering.Draft, kind api.OrderType, now time.Time, partial bool) []string {
	var faults []string
	for _, fault := range draft.FindFaults(now) {
		faults = append(faults, fault.FaultText())
	}
	if draft.LacksCountry() {
		faults = append(faults, "set country in the file of --order")
	}
	missions := len(draft.IncludedSites())
	if kind == api.SingleLocation && missions > 1 {
		text := fmt.Sprintf("orderType singleLocation allows one mission, but the files have %d", missions)
		faults = append(faults, text)
	}
	if unread := unreadSites(draft); len(unread) > 0 && !partial {
		const text = "%s cannot be read, first %s; correct the files, or skip them with --partial"
		faults = append(faults, fmt.Sprintf(text, format.Count(len(unread), "site"), unread[0].Name))
	}
	return faults
}

// unreadSites returns the sites of a draft whose coordinates could not be read.
func unreadSites(draft *ordering.Draft) []*ordering.Site {
	var unread []*ordering.Site
	for _, site := range draft.Sites {
		if site.Geometry == nil {
			unread = append(unread, site)
		}
	}
	return unread
}
