// A MySQL server of another make, for testing logins with caching_sha2_password: it listens on
// loopback, prints its address, and answers every query with the number of logins so far that
// were full ones (the password itself was sent, not its hash against the cache).
//
// Usage: peer CA_FILE. It makes an authority and a certificate, writes the authority there, and
// ends when its standard input does.
package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-mysql-org/go-mysql/mysql"
	"github.com/go-mysql-org/go-mysql/server"
)

const user, password = "dyno", "pass ä word"

// credentials counts how often the server needs the password: once for each full login.
type credentials struct{ full atomic.Int64 }

func (c *credentials) CheckUsername(name string) (bool, error) { return name == user, nil }

func (c *credentials) GetCredential(name string) (string, bool, error) {
	c.full.Add(1)
	return password, name == user, nil
}

type handler struct {
	server.EmptyHandler
	credentials *credentials
}

func (h handler) HandleQuery(query string) (*mysql.Result, error) {
	if strings.HasPrefix(query, "SET ") {
		return nil, nil
	}
	rows := [][]any{{h.credentials.full.Load()}}
	set, err := mysql.BuildSimpleResultset([]string{"full"}, rows, false)
	return mysql.NewResult(set), err
}

func must[T any](value T, err error) T {
	if err != nil {
		fmt.Fprintln(os.Stderr, "peer:", err)
		os.Exit(1)
	}
	return value
}

// sign makes a certificate; the authority signs itself.
func sign(name string, parent *x509.Certificate, parentKey *ecdsa.PrivateKey) (
	*x509.Certificate, *ecdsa.PrivateKey,
) {
	key := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(time.Now().UnixNano()),
		Subject:               pkix.Name{CommonName: name},
		NotBefore:             time.Now().Add(-time.Hour),
		NotAfter:              time.Now().Add(time.Hour),
		IPAddresses:           []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA:                  parent == nil,
		BasicConstraintsValid: true,
	}
	if parent == nil {
		parent, parentKey = template, key
	}
	der := must(x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, parentKey))
	return must(x509.ParseCertificate(der)), key
}

func main() {
	authority, authorityKey := sign("peer's authority", nil, nil)
	certificate, key := sign("peer", authority, authorityKey)
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: authority.Raw})
	must(0, os.WriteFile(os.Args[1], block, 0o600))

	pair := tls.Certificate{Certificate: [][]byte{certificate.Raw}, PrivateKey: key}
	config := &tls.Config{Certificates: []tls.Certificate{pair}}
	method := mysql.AUTH_CACHING_SHA2_PASSWORD
	conf := server.NewServer("8.0.36-peer", mysql.DEFAULT_COLLATION_ID, method, nil, config)
	credentials := &credentials{}
	listener := must(net.Listen("tcp", "127.0.0.1:0"))
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)

	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	for {
		go serve(must(listener.Accept()), conf, credentials)
	}
}

func serve(socket net.Conn, conf *server.Server, credentials *credentials) {
	defer socket.Close()
	handler := handler{credentials: credentials}
	conn, err := server.NewCustomizedConn(socket, conf, credentials, handler)
	for err == nil && !conn.Closed() {
		err = conn.HandleCommand()
	}
}
