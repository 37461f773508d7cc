// Package inspect has the pages of those who look into an account: what its key
// may do, how it stands, the story of an order or a mission, and the requests since
// the start with their responses.
package inspect
