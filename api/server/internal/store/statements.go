package store

import (
	"context"
	"database/sql"
	"errors"
	"sync"
)

// statementCache prepares each query on first use and reuses the statement.
type statementCache struct {
	db     *sql.DB
	engine databaseEngine
	mu     sync.RWMutex
	stmts  map[string]*sql.Stmt
}

// cachedStatement returns the statement of a query, or nil if it is not prepared yet.
func (p *statementCache) cachedStatement(query string) *sql.Stmt {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.stmts[query]
}

// getStatement returns the statement of a query and prepares it if necessary. Preparing takes a
// connection from the pool. So callers must not hold a connection: if all connections were held,
// the callers would wait for each other forever. For the same reason, the cache is not locked while
// a statement is prepared.
func (p *statementCache) getStatement(ctx context.Context, query string) (*sql.Stmt, error) {
	if stmt := p.cachedStatement(query); stmt != nil {
		return stmt, nil
	}
	stmt, err := p.db.PrepareContext(ctx, p.engine.translate(query))
	if err != nil {
		return nil, mapError(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if earlier := p.stmts[query]; earlier != nil { // another goroutine prepared it meanwhile
		return earlier, stmt.Close() //nolint:sqlclosecheck // the cache keeps the earlier statement
	}
	if p.stmts == nil {
		p.stmts = map[string]*sql.Stmt{}
	}
	p.stmts[query] = stmt
	return stmt, nil
}

// queryRows runs a query with its statement.
func (p *statementCache) queryRows(ctx context.Context, query string, args []any) (*sql.Rows, error) {
	if err := p.engine.checkArgs(query, args); err != nil {
		return nil, err
	}
	stmt, err := p.getStatement(ctx, query) //nolint:sqlclosecheck // kept for the store's life
	if err != nil {
		return nil, err
	}
	return stmt.QueryContext(ctx, args...)
}

func (p *statementCache) closeAll() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var err error
	for _, stmt := range p.stmts {
		err = errors.Join(err, stmt.Close())
	}
	p.stmts = nil
	return err
}
