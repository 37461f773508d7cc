//go:build !campaign

package fetch

// campaignFaults is the number of faults in a normal run.
const campaignFaults = 8
