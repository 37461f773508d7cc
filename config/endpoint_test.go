package config_test

import (
	"errors"
	"strings"
	"testing"

	"flightdesk/config"
)

func TestSecretsOfEndpointsAreSeparateForEachProfile(t *testing.T) {
	ring := fakeKeyring{keys: map[string]string{}}
	env := config.Env{Keyring: ring.ring()}
	prod, test := env.EndpointSecrets("prod"), env.EndpointSecrets("test")
	if err := prod.Set("018a2f71-3400", "whsec_one"); err != nil {
		t.Fatal(err)
	}
	if got, err := prod.Get("018a2f71-3400"); err != nil || got != "whsec_one" {
		t.Errorf("kept %q, %v", got, err)
	}
	if got, err := test.Get("018a2f71-3400"); err != nil || got != "" {
		t.Errorf("another profile has %q, %v", got, err)
	}
	for range 2 { // deleting a missing secret is not an error
		if err := prod.Delete("018a2f71-3400"); err != nil {
			t.Error(err)
		}
	}
	if len(ring.keys) > 0 {
		t.Errorf("left %v", ring.keys)
	}
}

func TestASecretThatCannotBeStoredIsReported(t *testing.T) {
	for name, tt := range map[string]struct {
		ring fakeKeyring
		id   string
		want string
	}{
		"a locked one": {fakeKeyring{err: errors.New("locked\nreally")}, "e-1", "not answering (locked really); unlock or start it"},
		"a bad id":     {fakeKeyring{}, "../e", "cannot be used to store a secret"},
		"an empty id":  {fakeKeyring{}, "", "cannot be used to store a secret"},
	} {
		t.Run(name, func(t *testing.T) {
			kept := config.Env{Keyring: tt.ring.ring()}.EndpointSecrets("prod")
			_, got := kept.Get(tt.id)
			for _, err := range []error{kept.Set(tt.id, "whsec_one"), got, kept.Delete(tt.id)} {
				if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "whsec") {
					t.Errorf("says %v", err)
				}
			}
		})
	}
}
