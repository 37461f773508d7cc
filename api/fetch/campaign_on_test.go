//go:build campaign

package fetch

// campaignFaults is the number of faults with -tags campaign.
const campaignFaults = 300
