package api_test

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"

	"flightdesk/api"
)

func TestWrappedPartsKeepTheTextOfTheirWrapper(t *testing.T) {
	inner := &api.PartsError{}
	inner.Add(errors.New("page 1 is lost"))
	inner.Add(errors.New("page 2 is lost"))
	all := &api.PartsError{}
	all.Add(inner)
	all.Add(fmt.Errorf("mission MSN-1: %w", inner))
	all.Add(nil)
	if len(all.Faults) != 3 {
		t.Fatalf("%d faults: %v", len(all.Faults), all.Faults)
	}
	if got, want := all.Faults[2].Error(), "mission MSN-1: page 1 is lost (and 1 more)"; got != want {
		t.Errorf("the wrapped parts are %q, want %q", got, want)
	}
}

func TestAFailedLookupIsNotAnUnknownHost(t *testing.T) {
	for want, cause := range map[string]*net.DNSError{
		"unknown host ":                    {Err: "no such host", IsNotFound: true},
		"could not look up host ":          {Err: "server misbehaving", IsTemporary: true},
		"desk.example: server misbehaving": {Err: "server misbehaving", IsTemporary: true},
	} {
		lost := &api.TransportError{Op: "read order", Host: "desk.example", Err: cause}
		if got := lost.Reason(); !strings.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
	lost := &api.TransportError{
		Host:  "desk.example",
		Proxy: "proxy.example:3128",
		Err:   &net.DNSError{Err: "server misbehaving", IsTemporary: true},
	}
	const want = "the proxy for desk.example: could not look up host proxy.example:3128: server misbehaving; check HTTPS_PROXY, HTTP_PROXY and NO_PROXY"
	if got := lost.Reason(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
