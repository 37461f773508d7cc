package store_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"flightdesk/api/server/internal/store"
)

// waitTogether runs f for each item while the writer is held, so that all writes wait at
// the same time.
func waitTogether(t *testing.T, s *store.Store, items []string, f func(item string) error) map[string]error {
	t.Helper()
	hold := make(chan struct{})
	held := make(chan struct{})
	var holder, callers sync.WaitGroup
	holder.Go(func() {
		write(t, s, func(*store.Tx) error {
			close(held)
			<-hold
			return nil
		})
	})
	<-held
	var mu sync.Mutex
	outcomes := make(map[string]error)
	var started sync.WaitGroup
	for _, item := range items {
		started.Add(1)
		callers.Go(func() {
			started.Done()
			err := f(item)
			mu.Lock()
			defer mu.Unlock()
			outcomes[item] = err
		})
	}
	started.Wait()
	close(hold)
	holder.Wait()
	callers.Wait()
	return outcomes
}

func companies(t *testing.T, s *store.Store) map[string]bool {
	t.Helper()
	accounts, err := s.Accounts(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	names := make(map[string]bool)
	for _, a := range accounts {
		names[a.CompanyName] = true
	}
	return names
}

func TestAnErrorInAJointWriteFailsOnlyItsCaller(t *testing.T) {
	s := open(t, "")
	refused := errors.New("refused")
	insertAccounts := &store.JointWrite{Run: func(tx *store.Tx, items []any) error {
		for _, item := range items {
			name := item.(string)
			if err := store.Insert(tx, account(name)); err != nil {
				return err
			}
			if name == "bad" {
				return refused
			}
		}
		return nil
	}}
	names := []string{"bad"}
	for i := range 40 {
		names = append(names, fmt.Sprintf("good %d", i))
	}
	outcomes := waitTogether(t, s, names, func(name string) error {
		return s.WriteJoint(context.Background(), insertAccounts, name)
	})
	stored := companies(t, s)
	for _, name := range names {
		if name == "bad" {
			if !errors.Is(outcomes[name], refused) || stored[name] {
				t.Errorf("the refused write: error %v, stored %v", outcomes[name], stored[name])
			}
			continue
		}
		if outcomes[name] != nil || !stored[name] {
			t.Errorf("%s: error %v, stored %v", name, outcomes[name], stored[name])
		}
	}
}

func TestARecordThatCannotBeInsertedLaterFailsOnlyItsCaller(t *testing.T) {
	s := open(t, "")
	owner := account("owner")
	write(t, s, func(tx *store.Tx) error { return store.Insert(tx, owner) })
	const unknownAccount = 1 << 40
	insertOutcomes := &store.JointWrite{Run: func(tx *store.Tx, items []any) error {
		for _, item := range items {
			outcome := &store.RememberedOutcome{
				AccountID: owner.ID,
				Name:      item.(string),
				Result:    "{}",
				Created:   noon,
			}
			if outcome.Name == "bad" {
				outcome.AccountID = unknownAccount
			}
			if err := store.InsertLater(tx, outcome); err != nil {
				return err
			}
		}
		return nil
	}}
	names := []string{"bad"}
	for i := range 40 {
		names = append(names, fmt.Sprintf("good %d", i))
	}
	outcomes := waitTogether(t, s, names, func(name string) error {
		return s.WriteJoint(context.Background(), insertOutcomes, name)
	})
	keys := []store.IdempotencyKey{{AccountID: unknownAccount, Name: "bad"}}
	for _, name := range names {
		keys = append(keys, store.IdempotencyKey{AccountID: owner.ID, Name: name})
	}
	var stored map[store.IdempotencyKey]store.RememberedOutcome
	write(t, s, func(tx *store.Tx) (err error) {
		stored, err = tx.OutcomesSince(noon, keys)
		return err
	})
	if len(stored) != len(names)-1 {
		t.Errorf("%d outcomes are stored, want %d", len(stored), len(names)-1)
	}
	for _, name := range names {
		isRefused := outcomes[name] != nil
		if isRefused != (name == "bad") {
			t.Errorf("%s: error %v", name, outcomes[name])
		}
	}
}

func TestAStatementReadsWhatWasInsertedLaterBeforeIt(t *testing.T) {
	s := open(t, "")
	owner := account("owner")
	key := store.IdempotencyKey{Name: "key"}
	write(t, s, func(tx *store.Tx) error {
		if err := store.Insert(tx, owner); err != nil {
			return err
		}
		key.AccountID = owner.ID
		outcome := &store.RememberedOutcome{AccountID: owner.ID, Name: key.Name, Result: "{}", Created: noon}
		if err := store.InsertLater(tx, outcome); err != nil {
			return err
		}
		found, err := tx.OutcomesSince(noon, []store.IdempotencyKey{key})
		if err == nil && len(found) != 1 {
			t.Errorf("found %v, want the outcome", found)
		}
		return err
	})
}

func TestWaitingJointWritesAreCombined(t *testing.T) {
	s := open(t, "")
	var mu sync.Mutex
	calls := 0
	most := 0
	insertAccounts := &store.JointWrite{Run: func(tx *store.Tx, items []any) error {
		mu.Lock()
		calls++
		most = max(most, len(items))
		mu.Unlock()
		accounts := make([]*store.Account, len(items))
		for i, item := range items {
			accounts[i] = account(item.(string))
		}
		return store.Insert(tx, accounts...)
	}}
	var names []string
	for i := range 30 {
		names = append(names, fmt.Sprint(i))
	}
	outcomes := waitTogether(t, s, names, func(name string) error {
		return s.WriteJoint(context.Background(), insertAccounts, name)
	})
	for name, err := range outcomes {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(companies(t, s)) != len(names) {
		t.Errorf("%d accounts are stored, want %d", len(companies(t, s)), len(names))
	}
	if calls == len(names) || most < 2 {
		t.Errorf("%d calls of at most %d items; writes that wait should share one", calls, most)
	}
}

func TestAChangedKeyIsReadAgain(t *testing.T) {
	s := open(t, "")
	ctx := context.Background()
	a := account("a")
	key := &store.Key{UUID: "key", Hash: "h", Hint: "wxyz", Created: noon}
	write(t, s, func(tx *store.Tx) error {
		if err := store.Insert(tx, a); err != nil {
			return err
		}
		key.AccountID = a.ID
		return store.Insert(tx, key)
	})
	for _, want := range []store.KeyHolder{{Key: *key, Account: *a}, {Key: *key, Account: *a}} {
		holder, err := s.KeyByHash(ctx, "h")
		if err != nil {
			t.Fatal(err)
		}
		same(t, holder, want)
	}
	revoked := *key
	revoked.Revoked = noon
	write(t, s, func(tx *store.Tx) error { return store.Update(tx, &revoked) })
	holder, err := s.KeyByHash(ctx, "h")
	if err != nil {
		t.Fatal(err)
	}
	same(t, holder, store.KeyHolder{Key: revoked, Account: *a})

	renamed := *a
	renamed.CompanyName = "b"
	write(t, s, func(tx *store.Tx) error { return store.Update(tx, &renamed) })
	holder, err = s.KeyByHash(ctx, "h")
	if err != nil {
		t.Fatal(err)
	}
	same(t, holder, store.KeyHolder{Key: revoked, Account: renamed})
}
