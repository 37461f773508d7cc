package page

// SetQuoted keeps which orders, by their ids, have quotes to decide, as far as
// it is known; nothing else in the first interface tells. Pages call it in
// Update.
func (e *Env) SetQuoted(ids map[string]bool) { e.quoted = ids }

// Quoted reports whether an order is known to have quotes to decide.
func (e *Env) Quoted(id string) bool { return e.quoted[id] }
