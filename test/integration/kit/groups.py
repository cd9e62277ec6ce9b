"""VM groups: how scenarios make them, and which of their rules VMs on hosts break."""

from itertools import combinations


def role_text(name, policy=None, **more):
    """A ROLE section; `more` are further attributes."""
    about = {"NAME": name}
    if policy:
        about["POLICY"] = policy
    about.update({key.upper(): value for key, value in more.items()})
    return "ROLE = [ %s ]\n" % ", ".join('%s = "%s"' % pair for pair in about.items())


def ids(text):
    return {int(word) for word in (text or "").split(",") if word.strip()}


class Group:
    """One group of the pool's document."""

    def __init__(self, element):
        self.id = int(element.findtext("ID"))
        self.roles = {role.findtext("NAME"): role for role in element.findall("ROLES/ROLE")}
        template = element.find("TEMPLATE")
        self.soft = bool(template.findtext("GALERNA_WEIGHT"))
        self.by_cluster = template.findtext("GALERNA_LEVEL") == "CLUSTER"
        self.rules = [(kind, [name.strip() for name in rule.text.split(",")])
                      for kind in ("AFFINED", "ANTI_AFFINED") for rule in template.findall(kind)]

    def members(self, role):
        return ids(self.roles[role].findtext("VMS"))

    def broken(self, host_of, cluster_of):
        """Sentences. host_of: the host of each VM on one; cluster_of: of each host."""
        found = []
        for name, role in self.roles.items():
            if not role.findtext("GALERNA_WEIGHT"):
                found += self.broken_by_role(name, role, host_of, cluster_of)
        for kind, names in self.rules if not self.soft else []:
            place = self.place_of(host_of, cluster_of, self.by_cluster)
            pairs = [(one, other) for a, b in combinations(names, 2)
                     for one in self.members(a) for other in self.members(b)]
            if kind == "AFFINED":
                pairs += [pair for name in names for pair in combinations(self.members(name), 2)]
            found += self.broken_pairs(kind, ",".join(names), pairs, place)
        return found

    def broken_by_role(self, name, role, host_of, cluster_of):
        found = []
        members = self.members(name)
        for vm in members & host_of.keys():
            host, cluster = host_of[vm], cluster_of.get(host_of[vm])
            for attribute, place in (("HOST_AFFINED", host), ("GALERNA_CLUSTER_AFFINED", cluster)):
                if ids(role.findtext(attribute)) and place not in ids(role.findtext(attribute)):
                    found.append("VM %d on host %d: %s of role %s" % (vm, host, attribute, name))
            for attribute, place in (("HOST_ANTI_AFFINED", host),
                                     ("GALERNA_CLUSTER_ANTI_AFFINED", cluster)):
                if place in ids(role.findtext(attribute)):
                    found.append("VM %d on host %d: %s of role %s" % (vm, host, attribute, name))
        policy = role.findtext("POLICY")
        if policy in ("AFFINED", "ANTI_AFFINED"):
            place = self.place_of(host_of, cluster_of, role.findtext("GALERNA_LEVEL") == "CLUSTER")
            found += self.broken_pairs(policy, name, combinations(members, 2), place)
        return found

    @staticmethod
    def place_of(host_of, cluster_of, by_cluster):
        return {vm: cluster_of[host] if by_cluster else host for vm, host in host_of.items()}

    def broken_pairs(self, kind, names, pairs, place):
        return ["VMs %d and %d: group %d has %s %s" % (one, other, self.id, names, kind)
                for one, other in pairs if one in place and other in place and
                (place[one] == place[other]) == (kind == "ANTI_AFFINED")]


def read_groups(oned):
    pool = oned.document("one.vmgrouppool.info", -2, -1, -1)
    return [Group(element) for element in pool.findall("VM_GROUP")]


def broken_rules(groups, hosts, vms):
    """Rules that active VMs break, as sentences."""
    host_of = {vm.id: vm.host for vm in vms.values() if vm.takes_capacity and vm.history}
    cluster_of = {host.id: host.cluster for host in hosts.values()}
    return [text for group in groups for text in group.broken(host_of, cluster_of)]
