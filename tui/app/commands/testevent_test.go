package commands

import "testing"

func TestLoopbackHostsAreRecognized(t *testing.T) {
	for host, want := range map[string]bool{
		"127.0.0.1": true, "127.9.8.7": true, "::1": true, "localhost": true, "LOCALHOST": true,
		"localhost.example": false, "0.0.0.0": false, "10.0.0.1": false, "192.168.1.1": false, "": false, "127.0.0.1.example": false,
	} {
		if got := IsLoopback(host); got != want {
			t.Errorf("%q is this machine: %v", host, got)
		}
	}
}
