//go:build campaign

package fetch

// campaignFaults is how many faults the campaign has, with -tags campaign.
const campaignFaults = 300
