package cli

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"flightdesk/api"
	"flightdesk/api/fetch"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/app/timeline"
)

// accountView reads the data of an account. It uses the key of the account, if the profile has it,
// otherwise the key of the operations API, which can read every account.
type accountView struct {
	call    *Call
	Cache   *cache.Cache
	Company string
	account string // ID of the account; "" if its own key is used

	Subject  timeline.StorySubject // the order or mission that was named; empty if none was named
	Endpoint *api.WebhookEndpoint  // the endpoint that was named; nil if none was named
}

// ViewAccount finds the account that has the named object. The name is the code or ID of an order, a
// mission or an endpoint. If the profile has a key of the operations API, the name can also be any text
// that the command flightdesk find accepts, such as a company. If the name is "", the account is the
// account of the profile's key.
func (c *Call) ViewAccount(name string) (*accountView, error) {
	s, err := c.connectAny()
	if err != nil {
		return nil, err
	}
	c.Service = s
	a := &accountView{call: c, Company: s.accountLabel()}
	return a, a.findAccount(strings.TrimSpace(name))
}

// connectAny returns the service of the profile with a client for each key that the profile has: the key of an
// account, the key of the operations API, or both. If the profile has neither key, it returns an error.
func (c *Call) connectAny() (*Service, error) {
	s, err := c.ConnectOps()
	if err != nil {
		return nil, err
	}
	if s.BaseURL != "" {
		client, err := c.program.newClient(c, s.Settings, c.program.Interruption)
		if err != nil && s.Ops == nil {
			return nil, err
		}
		s.Client = client // nil after an error: the key of the operations API is enough
	}
	if s.Client != nil {
		c.program.Observe(s.Client)
		return s, nil
	}
	if s.Ops != nil {
		return s, nil
	}
	if s.OpsURL != "" {
		return nil, noOpsKeyError(s)
	}
	return nil, fmt.Errorf("profile %s has no service address; add base_url or ops_url", s.Name)
}

// findAccount finds the account that has the named object. It looks for the object in the account of the
// profile's key first, then in all accounts.
func (a *accountView) findAccount(name string) error {
	if a.call.Service.Client == nil && name == "" {
		return errors.New("missing NAME: without an API key, name a company, an order, a mission or an endpoint")
	}
	if a.call.Service.Client == nil {
		return a.findAny(name)
	}
	err := a.findOwn(name)
	if err == nil {
		a.readOwnAccount()
		return nil
	}
	isUnknown := errors.Is(err, errUnknownName)
	canFindAny := a.call.Service.Ops != nil
	if isUnknown && !canFindAny {
		return fmt.Errorf("%q is not an order or mission code or an endpoint ID; companies need the operations key", name)
	}
	mayBeElsewhere := isUnknown || errors.Is(err, errNotAmongMissions) ||
		api.IsStatus(err, http.StatusNotFound, http.StatusForbidden)
	if canFindAny && mayBeElsewhere && a.call.Err() == nil {
		return a.findAny(name)
	}
	return err
}

// readOwnAccount makes the view read the account of the profile's key.
func (a *accountView) readOwnAccount() {
	a.Cache = cache.New(a.call.Service.Client, a.call.Service.Now)
	if a.call.Service.Ops != nil {
		a.Cache.AddOperations(a.call.Service.Ops)
	}
}

// errUnknownName is the error of findOwn for a name that is neither a code nor an ID.
var errUnknownName = errors.New("code unknown")

// errNotAmongMissions is the error of findOwn if the order of the named mission was read, but without the mission.
var errNotAmongMissions = errors.New("not among the missions")

// idLength is the length of an ID, which is a UUID.
const idLength = 36

// findOwn finds the named order, mission or endpoint in the account of the profile's key, and sets Subject
// or Endpoint to it. If the name is "", it sets neither. It returns errUnknownName if the name is neither
// a code nor an ID.
func (a *accountView) findOwn(name string) error {
	code := orderCode(name)
	// Other texts with four hyphens, such as a link with a token, are not sent: the address of a
	// request gets into logs.
	isID := len(name) == idLength && strings.Count(name, "-") == 4
	switch {
	case name == "":
		return nil
	case strings.HasPrefix(code, "ORD-"):
		return a.selectOrder(code, "")
	case strings.HasPrefix(code, "MSN-"):
		return a.findOwnMission(code)
	case isID:
		endpoint, err := a.call.Service.Client.Webhooks.Get(a.call, name)
		if err != nil {
			return prefixError(name, err)
		}
		a.Endpoint = endpoint
		return nil
	}
	return errUnknownName
}

// findOwnMission finds a mission of the account by its code and makes it the subject. The operations API
// can look up the mission by its code. If the profile cannot use that API, all orders of the account are
// searched.
func (a *accountView) findOwnMission(code string) error {
	if a.call.Service.Ops != nil {
		order, err := a.call.Service.Ops.Orders.Get(a.call, code)
		if err == nil {
			return a.selectOrder(order.OrderCode, code)
		}
	}
	mission, err := fetch.FindMission(a.call, a.call.Service.Client, code)
	if err != nil {
		return prefixError(code, err)
	}
	a.Subject = timeline.StorySubject{Order: mission.OrderCode, Mission: mission.UUID}
	return nil
}

// selectOrder reads an order of the account and makes it the subject. If missionCode is not "", the subject
// is the order's mission with that code.
func (a *accountView) selectOrder(code, missionCode string) error {
	order, err := a.call.FindOrder(code)
	if err != nil {
		return err
	}
	a.Subject.Order = order.OrderCode
	if missionCode == "" {
		return nil
	}
	for _, mission := range order.Missions {
		if mission.MissionCode == missionCode {
			a.Subject.Mission = mission.UUID
			return nil
		}
	}
	return fmt.Errorf("%s: %w of %s that could be read", missionCode, errNotAmongMissions, order.OrderCode)
}

// findAny finds the named object in all accounts, with the key of the operations API, and sets the view to
// the account that has the object.
func (a *accountView) findAny(name string) error {
	place, err := commands.Find(a.call, a.call.Service.Ops, name)
	if err != nil {
		return err
	}
	if place.AccountUID == "" {
		return fmt.Errorf("%s: a request of no known account; see flightdesk list requests --of %[1]s", name)
	}
	a.call.Service.Client = nil
	a.Company = place.CompanyName
	a.account = place.AccountUID
	a.Subject = timeline.StorySubject{Order: place.OrderCode, Mission: place.Mission}
	if place.OrderCode == "" {
		a.Endpoint = place.Endpoint
	}
	a.Cache = cache.NewOfAccount(a.call.Service.Ops, place.AccountUID, a.call.Service.Now)
	return nil
}

// Mask replaces secrets in a text.
func (a *accountView) Mask(text string) string {
	if a.call.Service.Client != nil {
		return a.call.Service.Client.Mask(text)
	}
	return api.Mask(text)
}

// SelectedEndpoints returns the endpoint that was named or, if none was named, all endpoints of the
// account, newest first.
func (a *accountView) SelectedEndpoints() Rows[*api.WebhookEndpoint] {
	return filterRows(a.Endpoints(), func(e *api.WebhookEndpoint) bool {
		return a.Endpoint == nil || a.Endpoint.UUID == e.UUID
	})
}

// Endpoints returns the endpoints of the account, newest first.
func (a *accountView) Endpoints() Rows[*api.WebhookEndpoint] {
	if a.call.Service.Client != nil {
		return a.call.Service.Client.Webhooks.All(a.call)
	}
	return a.call.Service.Ops.Webhooks.All(a.call, a.account)
}

// Log returns the log of the endpoint with the given ID: the callbacks that the service has sent to it, newest first.
func (a *accountView) Log(endpoint string) Rows[*api.WebhookDelivery] {
	if a.call.Service.Client != nil {
		return a.call.Service.Client.Webhooks.AllDeliveries(a.call, endpoint)
	}
	return a.call.Service.Ops.Webhooks.AllDeliveries(a.call, endpoint)
}
