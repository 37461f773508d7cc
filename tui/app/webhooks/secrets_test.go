package webhooks_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"flightdesk/tui/app/webhooks"
)

// ring is a store that can be locked and counts its calls.
type ring struct {
	kept  map[string]string
	err   error
	asked int
}

func (r *ring) Get(endpoint string) (string, error) { r.asked++; return r.kept[endpoint], r.err }
func (r *ring) Delete(endpoint string) error        { delete(r.kept, endpoint); return r.err }
func (r *ring) Set(endpoint, secret string) error {
	if r.err == nil {
		r.kept[endpoint] = secret
	}
	return r.err
}

func TestSecretsAreStoredAndReadOnce(t *testing.T) {
	r := &ring{kept: map[string]string{"e-1": "whsec_one"}}
	k := webhooks.NewSecrets(r)
	for range 3 {
		if got, err := k.Get("e-1"); got != "whsec_one" || err != nil {
			t.Fatalf("got %q, %v", got, err)
		}
		if got, err := k.Get("e-2"); got != "" || err != nil {
			t.Fatalf("got %q, %v", got, err)
		}
	}
	if !k.IsStored("e-1") || k.IsStored("e-2") {
		t.Errorf("e-1 is stored: %v, e-2, which has no secret: %v", k.IsStored("e-1"), k.IsStored("e-2"))
	}
	if r.asked != 2 {
		t.Errorf("asked %d times", r.asked)
	}
	if lasts, err := k.Set("e-2", "whsec_two"); !lasts || err != nil || r.kept["e-2"] != "whsec_two" || !k.IsStored("e-2") {
		t.Errorf("lasts %v, %v, store %v", lasts, err, r.kept)
	}
	if err := k.Delete("e-2"); err != nil || r.kept["e-2"] != "" || k.IsKnown("e-2") {
		t.Errorf("%v, store %v", err, r.kept)
	}
	if shown := fmt.Sprintf("%v %+v %#v %s", k, k, k, k); strings.Contains(shown, "whsec") {
		t.Errorf("prints as %s", shown)
	}
}

func TestASecretThatCannotBeStoredIsKeptForTheRun(t *testing.T) {
	r := &ring{kept: map[string]string{}, err: errors.New("locked")}
	k := webhooks.NewSecrets(r)
	if lasts, err := k.Set("e-1", "whsec_one"); lasts || err == nil || k.IsStored("e-1") {
		t.Errorf("lasts %v, %v, stored %v", lasts, err, k.IsStored("e-1"))
	}
	if got, err := k.Get("e-1"); got != "whsec_one" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := k.Get("e-2"); err == nil {
		t.Error("a locked store is taken for an empty one")
	}
	r.err = nil
	if _, err := k.Get("e-2"); err != nil {
		t.Errorf("once it is open: %v", err)
	}
	none := webhooks.NewSecrets(nil)
	if lasts, err := none.Set("e-1", "whsec_one"); lasts || err != nil {
		t.Errorf("without a store: %v, %v", lasts, err)
	}
	if err := none.Delete("e-1"); err != nil || none.IsKnown("e-1") {
		t.Errorf("%v, known %v", err, none.IsKnown("e-1"))
	}
}

// locked is a store that blocks until it is unlocked.
type locked struct{ asked, open chan struct{} }

func (l locked) wait() { l.asked <- struct{}{}; <-l.open }

func (l locked) Get(string) (string, error) { l.wait(); return "whsec_old", nil }
func (l locked) Set(string, string) error   { l.wait(); return nil }
func (l locked) Delete(string) error        { l.wait(); return nil }

func TestALockedStoreOnlyBlocksItsCallers(t *testing.T) {
	l := locked{make(chan struct{}), make(chan struct{})}
	k := webhooks.NewSecrets(l)
	got := make(chan string)
	go func() {
		secret, _ := k.Get("e-1")
		got <- secret
	}()
	<-l.asked
	if k.IsKnown("e-1") {
		t.Error("a secret is known before the store has answered")
	}
	set := make(chan bool)
	go func() {
		lasts, _ := k.Set("e-1", "whsec_new")
		set <- lasts
	}()
	<-l.asked
	if !k.IsKnown("e-1") {
		t.Error("a secret that was just set is not known")
	}
	close(l.open)
	if secret, lasts := <-got, <-set; secret != "whsec_new" || !lasts {
		t.Errorf("got %q, lasts %v", secret, lasts)
	}
}

// overtaken is a store in which a newer secret is set, without success, while the first is being stored.
type overtaken struct{ secrets *webhooks.EndpointSecrets }

func (*overtaken) Get(string) (string, error) { return "", nil }
func (*overtaken) Delete(string) error        { return nil }

func (o *overtaken) Set(endpoint, secret string) error {
	if secret == "whsec_new" {
		return errors.New("locked")
	}
	_, _ = o.secrets.Set(endpoint, "whsec_new")
	return nil
}

func TestASecretIsNotStoredIfOnlyAnOlderSecretIs(t *testing.T) {
	store := &overtaken{}
	store.secrets = webhooks.NewSecrets(store)
	_, _ = store.secrets.Set("e-1", "whsec_old")
	if store.secrets.IsStored("e-1") {
		t.Error("the newer secret is taken for stored")
	}
}
