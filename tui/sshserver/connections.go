package sshserver

import (
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"golang.org/x/time/rate"
)

// person is somebody who has logged in, with what all their connections take together.
type person struct {
	name        string
	isOperator  bool
	maxSessions int
	connections int
	sessions    int
	cells       int
	keys        *rate.Limiter // of what is typed
	resizes     *rate.Limiter // of terminals
	work        *workShare
	operations  *rate.Limiter // of sftp
	bytes       *rate.Limiter // of what is received
	readings    chan struct{} // has an element for each survey file that is read
}

func newPerson(l *Login) *person {
	p := &person{
		name:        l.person(),
		isOperator:  l.User == Operations,
		maxSessions: maxSessionsOf,
		keys:        rate.NewLimiter(keyRate, keyBurst),
		resizes:     rate.NewLimiter(resizeRate, resizeBurst),
		work:        newWorkShare(1),
		operations:  rate.NewLimiter(operationRate, operateBurst),
		bytes:       rate.NewLimiter(byteRate, byteBurst),
		readings:    make(chan struct{}, maxReadingsOf),
	}
	if l.User == Viewer {
		p.maxSessions = maxViewers
		p.work = newWorkShare(2)
	}
	return p
}

// maxConnections is how many connections a person may have, always more than sessions:
// there is one without a session that can be closed for another.
func (p *person) maxConnections() int {
	return max(maxConnectionsOf, 2*p.maxSessions)
}

// connectionTable lists the connections of a server. A connection is always accepted;
// if there are too many, the least useful one without a session is closed.
type connectionTable struct {
	mu        sync.Mutex
	all       map[*connection]bool
	people    map[string]*person // with connections
	guests    int                // sessions
	operators int                // sessions
	cells     int                // of all terminals
	idleTime  time.Duration
}

func newConnectionTable(idleTime time.Duration) *connectionTable {
	return &connectionTable{
		all: map[*connection]bool{}, people: map[string]*person{}, idleTime: idleTime,
	}
}

// add lists a new connection, and reports whether another one was closed for it.
func (t *connectionTable) add(c *connection) (isFull bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	strangers, most := 0, c.address
	counts := map[netip.Prefix]int{}
	for other := range t.all {
		if other.person == nil {
			strangers++
			counts[other.address]++
			if counts[other.address] > counts[most] {
				most = other.address
			}
		}
	}
	switch {
	case counts[c.address] >= maxStrangersOf:
		t.closeStranger(c.address)
		isFull = true
	case strangers >= maxStrangers:
		t.closeStranger(most)
		isFull = true
	}
	t.all[c] = true
	return isFull
}

// closeStranger closes the least useful connection of an address that has not logged in.
func (t *connectionTable) closeStranger(address netip.Prefix) {
	var worst *connection
	for c := range t.all {
		if c.person == nil && c.address == address && (worst == nil || c.isWorse(worst)) {
			worst = c
		}
	}
	t.closeConnection(worst)
}

// isWorse reports whether a connection that has not logged in is less useful than
// another: it has tried more wrong codes, has sent nothing, or is older.
func (c *connection) isWorse(other *connection) bool {
	if c.wrong != other.wrong {
		return c.wrong > other.wrong
	}
	if c.isSilent() != other.isSilent() {
		return c.isSilent()
	}
	return c.since.Before(other.since)
}

// closeConnection closes a connection and forgets it at once; nil is none.
func (t *connectionTable) closeConnection(c *connection) {
	if c == nil || !t.all[c] {
		return
	}
	delete(t.all, c)
	_ = c.Close()
	if c.idle != nil {
		c.idle.Stop()
	}
	if c.person == nil {
		return
	}
	if c.person.connections--; c.person.connections == 0 {
		delete(t.people, c.person.name)
	}
}

// remove closes a connection.
func (t *connectionTable) remove(c *connection) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closeConnection(c)
}

// closeAll closes all connections.
func (t *connectionTable) closeAll() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for c := range t.all {
		t.closeConnection(c)
	}
}

func (t *connectionTable) isLoggedIn(c *connection) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return c.person != nil
}

// countWrongCode counts a wrong code of a connection.
func (t *connectionTable) countWrongCode(c *connection) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c.wrong++
}

// wrongCodes returns how many wrong codes came on a connection.
func (t *connectionTable) wrongCodes(c *connection) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return c.wrong
}

// logIn notes who has logged in on a connection. If the person or all have too many
// connections, their oldest one without a session is closed.
func (t *connectionTable) logIn(c *connection, l *Login) *person {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.people[l.person()]
	if p == nil {
		p = newPerson(l)
		t.people[p.name] = p
	}
	if p.connections >= p.maxConnections() {
		t.closeIdle(p)
	}
	if t.loggedIn() >= maxConnections {
		t.closeIdle(nil)
	}
	t.people[p.name] = p // closing the last other connection has removed it
	p.connections++
	c.person = p
	c.login = l
	c.idle = time.AfterFunc(t.idleTime, func() { t.remove(c) })
	c.reading.Store(p.bytes)
	return p
}

// loggedInConnections lists the connections that have logged in.
func (t *connectionTable) loggedInConnections() (all []*connection) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for c := range t.all {
		if c.person != nil {
			all = append(all, c)
		}
	}
	return all
}

func (t *connectionTable) loggedIn() (n int) {
	for _, p := range t.people {
		n += p.connections
	}
	return n
}

// closeIdle closes the oldest connection without a session of a person; nil is anybody.
func (t *connectionTable) closeIdle(p *person) {
	var oldest *connection
	for c := range t.all {
		isIdle := c.person != nil && c.sessions == 0 && (p == nil || c.person == p)
		if isIdle && (oldest == nil || c.since.Before(oldest.since)) {
			oldest = c
		}
	}
	t.closeConnection(oldest)
}

// openSession counts a session of a connection, or returns why there cannot be another.
func (t *connectionTable) openSession(c *connection) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := c.person
	switch {
	case c.sessions >= maxSessionsOf:
		return fmt.Errorf("%d sessions are open on this connection; close one", c.sessions)
	case p.sessions >= p.maxSessions:
		return fmt.Errorf("%s has %d open sessions; close one", p.name, p.sessions)
	case p.isOperator && t.operators >= maxOperators, !p.isOperator && t.guests >= maxGuests:
		return errors.New("too many people are here; try again later")
	}
	t.countSession(c, 1)
	c.idle.Stop()
	return nil
}

// closeSession ends the counting of a session of a connection.
func (t *connectionTable) closeSession(c *connection) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.countSession(c, -1)
	if c.sessions == 0 && t.all[c] {
		c.idle.Reset(t.idleTime)
	}
}

func (t *connectionTable) countSession(c *connection, n int) {
	c.sessions += n
	c.person.sessions += n
	if c.person.isOperator {
		t.operators += n
	} else {
		t.guests += n
	}
}

// sessions returns how many sessions there are.
func (t *connectionTable) sessions() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.guests + t.operators
}

// fitSize returns the size that is drawn of a terminal which was drawn in another size
// before. Large terminals are drawn in part if there are many of them.
func (t *connectionTable) fitSize(p *person, before, want tea.WindowSizeMsg) tea.WindowSizeMsg {
	t.mu.Lock()
	defer t.mu.Unlock()
	old := before.Width * before.Height
	free := min(maxCells-t.cells, maxCellsOf-p.cells) + old
	want.Width = min(want.Width, maxWidth)
	want.Height = min(want.Height, maxHeight)
	if want.Width*want.Height > max(free, minCells) {
		want.Width = min(want.Width, 80)
		want.Height = min(want.Height, 24)
	}
	cells := want.Width*want.Height - old
	p.cells += cells
	t.cells += cells
	return want
}
