// Package simulate makes the service's moves in place of the people who would:
// it reviews orders and issues quotes, assigns operators, sets flight dates,
// sees to permissions, delivers data and accepts it. It works through the domain
// like they do, and what it does next follows from how orders stand alone, so
// that it goes on after a restart where it was.
//
// It leaves an order alone until somebody has placed or moved it since the
// store was filled: the demo's orders stay as they are until a client or the
// operations do something with them. Accepting quotes is the client's.
package simulate
