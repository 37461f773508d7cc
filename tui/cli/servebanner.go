package cli

import (
	"cmp"
	"fmt"
	"net"
	"net/netip"
	"strings"

	"flightdesk/api/server"
)

// printAddresses prints the addresses and keys of the running service, and logs a warning if
// other machines can connect without TLS.
func (f *serveFlags) printAddresses(c *Call, addr net.Addr, room *TrainingRoom) error {
	tcp, isTCP := addr.(*net.TCPAddr)
	isExposed := isTCP && !tcp.IP.IsLoopback() && f.service.server.TLS == nil
	if isExposed {
		f.service.server.Log.Warn("other machines can connect, and keys cross the network unencrypted", "addr", addr.String())
	}
	return c.PrintParts(f.service.server.Ready(), func(to *textWriter) { f.writeBanner(to, room) })
}

// writeBanner writes the addresses of the running service for people. If there are sample accounts, it also
// writes their keys and how to use them.
func (f *serveFlags) writeBanner(to *textWriter, room *TrainingRoom) {
	ready := f.service.server.Ready()
	fmt.Fprintf(to, "flightdesk %s is running; press ctrl+c to stop\n\n", Version())
	facts := [][2]string{
		{"Public API", ready.BaseURL},
		{"v2 API", ready.LegacyBaseURL},
		{"Operations API", ready.OpsURL},
		{"Operations key", cmp.Or(ready.OpsKey, "as given")},
		{"Data", f.service.describeData()},
		{"Callbacks also to", joinNetworks(f.service.server.WebhookAllow)},
	}
	if room != nil {
		facts = append(facts, [2]string{"SSH", room.Addr.String()})
	}
	to.writeFacts(indentFacts(facts))
	if len(ready.Accounts) == 0 && f.service.server.Database.URL != "" {
		return // --demo, which adds accounts, cannot be used with a database
	}
	if len(ready.Accounts) == 0 {
		fmt.Fprint(to, "\n--demo adds sample accounts to an empty store.\n")
		return
	}
	writeAccounts(to, ready)
	writeUsage(to, ready)
}

// writeAccounts writes the sample accounts with their keys.
func writeAccounts(to *textWriter, ready server.ReadyLine) {
	fmt.Fprint(to, "\nAccounts and their keys\n\n")
	var keys [][2]string
	for _, account := range ready.Accounts {
		keys = append(keys, [2]string{account.CompanyName, account.Key})
	}
	to.writeFacts(indentFacts(keys))
}

// joinNetworks returns networks as a text, separated by spaces.
func joinNetworks(networks []netip.Prefix) string {
	texts := make([]string, len(networks))
	for i, network := range networks {
		texts[i] = network.String()
	}
	return strings.Join(texts, " ")
}

// indentFacts returns facts with two spaces in front of their names.
func indentFacts(facts [][2]string) [][2]string {
	indented := make([][2]string, len(facts))
	for i, fact := range facts {
		indented[i] = [2]string{"  " + fact[0], fact[1]}
	}
	return indented
}

// writeUsage writes how to use the service with the key of the first sample account.
func writeUsage(to *textWriter, ready server.ReadyLine) {
	key := ready.Accounts[0].Key
	fmt.Fprintf(to, "\nTry it\n\n  curl -H 'Authorization: Bearer %s' '%s/orders?limit=3'\n", key, ready.BaseURL)
	fmt.Fprint(to, "\nTo use it from the app and the commands\n\n")
	for _, variable := range []struct{ name, value string }{
		{"BASE_URL", ready.BaseURL},
		{"LEGACY_BASE_URL", ready.LegacyBaseURL},
		{"API_KEY", key},
		{"OPS_URL", ready.OpsURL},
		{"OPS_KEY", ready.OpsKey},
	} {
		if variable.value != "" {
			fmt.Fprintf(to, "  export FLIGHTDESK_%s='%s'\n", variable.name, variable.value)
		}
	}
}
