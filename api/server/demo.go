package server

import (
	"context"
	"io/fs"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server/internal/demodata"
	"flightdesk/api/server/internal/demodata/product"
	"flightdesk/api/server/internal/domain"
)

// DemoAccount is a demo account with an API key. The key does not expire: it is valid as long as
// the database exists.
type DemoAccount struct {
	UUID        string      `json:"uuid"`
	CompanyName string      `json:"companyName"`
	Key         string      `json:"key"`
	Scopes      []api.Scope `json:"scopes"`
}

// progressInterval is the interval between log lines about the progress of a long job.
const progressInterval = 5 * time.Second

// demoWorld returns the options of the demo data. It makes demodata log the progress of adding
// orders, because adding a million orders takes minutes.
func demoWorld(settings *Server) demodata.WorldOptions {
	lastLogged := time.Now() // real time; the clock of the service may be ahead
	logProgress := func(n int) {
		now := time.Now()
		if now.Sub(lastLogged) < progressInterval {
			return
		}
		lastLogged = now
		settings.Log.Info("adding demo orders", "added", n, "of", settings.DemoOrders)
	}
	return demodata.WorldOptions{
		Orders:   settings.DemoOrders,
		FileSize: settings.SampleFileSize,
		Added:    logProgress,
	}
}

// fillDemo adds the demo accounts to an empty store and gives each account a key.
func (s *service) fillDemo(ctx context.Context, settings *Server) error {
	accounts, err := demodata.FillStore(ctx, s.domain, demoWorld(settings))
	if err != nil {
		return err
	}
	for i, a := range accounts {
		wantedKey := ""
		if i == 0 {
			wantedKey = settings.DemoKey
		}
		key, err := s.demoKey(ctx, settings, a.UUID, wantedKey)
		if err != nil {
			return err
		}
		s.demo = append(s.demo, DemoAccount{
			UUID:        a.UUID,
			CompanyName: a.CompanyName,
			Key:         key,
			Scopes:      api.Scopes(),
		})
	}
	return nil
}

// demoKey returns a valid key of a demo account. If wantedKey is not "", it returns wantedKey,
// and issues that key if necessary. Otherwise it returns the key of the previous start, or issues
// a new key if the previous one is missing or no longer valid.
func (s *service) demoKey(ctx context.Context, settings *Server, accountUUID, wantedKey string) (string, error) {
	isUsable := func(key string) bool {
		if wantedKey != "" && key != wantedKey {
			return false
		}
		caller, err := s.domain.Accounts.Authenticate(ctx, key)
		return err == nil && caller.Account.UUID == accountUUID
	}
	issue := func() (string, error) {
		key, _, err := s.domain.Accounts.IssueKey(ctx, accountUUID, domain.KeySpec{
			Scopes:      api.Scopes(),
			Description: issued,
			Key:         wantedKey,
		})
		return key, err
	}
	return s.loadOrCreateSecret(ctx, settings, "demo."+accountUUID, isUsable, issue)
}

// Accounts returns the demo accounts; the app opens with the first one. The list is empty if Demo
// is false, or if the data folder already had other accounts.
func (s *Server) Accounts() []DemoAccount { return append([]DemoAccount{}, s.service.demo...) }

// AddDemoAccount adds an account with the same orders as the first demo account, and
// creates an API key for it.
func (s *Server) AddDemoAccount(ctx context.Context, company string) (DemoAccount, error) {
	if s.service.handler == nil {
		return DemoAccount{}, errNotStarted
	}
	a, err := demodata.AddAccount(ctx, s.service.domain, company, s.SampleFileSize)
	if err != nil {
		return DemoAccount{}, err
	}
	key, err := s.IssueKey(ctx, a.UUID, api.Scopes())
	return DemoAccount{
		UUID:        a.UUID,
		CompanyName: a.CompanyName,
		Key:         key,
		Scopes:      api.Scopes(),
	}, err
}

// DemoCompany returns the name of the first demo account.
func DemoCompany() string { return demodata.FirstCompany() }

// DemoSurveys returns the survey files of the demo.
func DemoSurveys() fs.FS { return demodata.Surveys() }

// Limits of [Server.DemoOrders] and [Server.SampleFileSize].
const (
	MaxDemoOrders     = demodata.MaxOrders
	MaxSampleFileSize = product.MaxSize
)

func (c *testControls) addDemoAccount(x *exchange, in *ops.DemoAccountInput) (handlerAnswer, error) {
	if !c.server.Demo {
		return handlerAnswer{}, newFault(api.CodeConflict, "demo accounts need a service that runs with --demo")
	}
	a, err := c.server.AddDemoAccount(x.r.Context(), in.CompanyName)
	wire := ops.DemoAccount{UUID: a.UUID, CompanyName: a.CompanyName, Key: a.Key, Scopes: a.Scopes}
	return answerCreated("account "+a.CompanyName+" added; the key is not shown again", wire, err)
}
