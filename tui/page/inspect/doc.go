// Package inspect has the pages of those who look into an account: what its key
// may do, how it stands, and the story of an order or a mission.
package inspect
