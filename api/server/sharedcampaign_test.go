//go:build postgres && campaign

package server_test

import "testing"

// The long form of TestProcessesAndDatabaseThatCrashLoseNothing.
func TestCampaignOfCrashes(t *testing.T) {
	p := newTrio(t)
	for range *killRounds {
		p.round(3, 150)
	}
	n := p.checkEverything()
	t.Logf("%d rounds, crashes of processes, database, both: %v; %d acknowledged writes (%d orders, %d revocations, %d quote decisions, %d deliveries), none lost; %d tries failed",
		*killRounds, p.crashes, n, len(p.acked["orders"]), len(p.acked["revocations"]), len(p.acked["quote decisions"]), len(p.acked["deliveries"]), p.failed.Load())
}
