//go:build !campaign

package fetch

// campaignFaults is how many faults the campaign has in the normal run.
const campaignFaults = 8
