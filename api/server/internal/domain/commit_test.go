//go:build postgres

package domain_test

import (
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
	"flightdesk/api/server/internal/store/storetest"
)

// The transaction is committed, but the response to COMMIT is lost.
func TestEventsOfAnUnconfirmedCommitAreSent(t *testing.T) {
	c := storetest.SharedCluster(t)
	proxy := storetest.NewProxy(t, c.Port)
	s := storetest.OpenShared(t, store.SharedDatabase{URL: proxy.URL(c.Database(t))})
	box := &mailbox{}
	d := domain.New(domain.ServiceParts{Store: s, Now: func() time.Time { return noon }, Sender: box})
	a, err := d.Accounts.NewAccount(t.Context(), store.Account{CompanyName: "a"})
	if err != nil {
		t.Fatal(err)
	}
	w := endpoint(t, d, a, "all", api.EventNames()...)
	proxy.CutAnswer()
	order := store.Order{AccountID: a.ID, UUID: "o", Code: "ORD-1"}
	if err := d.Announce(t.Context(), api.EventOperatorAssigned, order, store.Mission{UUID: "m", Code: "MSN-1"}, nil); err != nil {
		t.Fatal(err)
	}
	if log := logOf(t, d, w); !proxy.IsWhole() || len(log) != 1 || len(box.sent) != 1 || box.sent[0].ID != log[0].ID {
		t.Errorf("kept %+v, sent %+v", log, box.sent)
	}
}
