package config_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"flightdesk/config"
)

func TestSecretsNeverPrint(t *testing.T) {
	const key = "fd_live_hunter2"
	secret := config.NewSecret(key)
	type holder struct {
		Public  config.Secret
		private config.Secret
	}
	held := holder{secret, secret}
	var printed strings.Builder
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%p", "%T", "%10s"} {
		fmt.Fprintf(&printed, verb+"\n", secret)
		fmt.Fprintf(&printed, verb+"\n", &secret)
		fmt.Fprintf(&printed, verb+"\n", held)
		fmt.Fprintf(&printed, verb+"\n", &held)
		fmt.Fprintf(&printed, verb+"\n", []config.Secret{secret})
	}
	fmt.Fprintln(&printed, secret, held, map[string]any{"k": secret})
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "secret", secret, "held", held)
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "secret", secret, "held", held)
	asJSON, err := json.Marshal(held)
	if err != nil {
		t.Fatal(err)
	}
	all := printed.String() + log.String() + string(asJSON)
	if strings.Contains(all, key) || strings.Contains(all, fmt.Sprintf("%x", key)) {
		t.Errorf("the key is shown:\n%s", all)
	}
	if string(asJSON) != `{"Public":"********"}` {
		t.Errorf("JSON: %s", asJSON)
	}
	if got := secret.Reveal(); got != key {
		t.Errorf("Reveal: %q", got)
	}
}

func TestAnEmptySecretPrintsNothing(t *testing.T) {
	var none config.Secret
	if got := fmt.Sprint(none); got != "" || !none.IsZero() || none.Reveal() != "" {
		t.Errorf("got %q, %v, %q", got, none.IsZero(), none.Reveal())
	}
	if !config.NewSecret("").IsZero() {
		t.Error("an empty key is a secret")
	}
}
